/** What the programs of this folder share: a scenario by name, its input as JSON, one JSON line as the answer. */

/** Says that everything is ready and resolves when the test says go. */
export async function untilGo() {
	process.stdout.write("ready\n");
	await new Promise((resolve) => process.stdin.once("data", resolve));
	process.stdin.destroy();
}

/** Runs the scenario that the command line names. */
export async function runScenario(scenarios) {
	const [name, input] = process.argv.slice(2);
	try {
		const answer = await scenarios[name](JSON.parse(input));
		process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
	} catch (error) {
		process.stderr.write(`${error.stack}\n`, () => process.exit(1));
	}
}

/** Width and height of a PNG picture; undefined when it is none. */
export function pngSize(picture) {
	const bytes = Buffer.from(picture);
	if (bytes.toString("latin1", 1, 4) !== "PNG") return undefined;
	return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
