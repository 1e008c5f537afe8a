/** Programs that node runs, not Bun: the client libraries as their users have them. */
import { execFile, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { waitFor } from "./wait-for.ts";

const folder = join(import.meta.dirname, "../e2e/clients");
const PROGRAM_MS = 50_000;

/** `bun --bun` puts a "node" that is Bun in front of the PATH. */
function findNode(): string {
	for (const place of (process.env["PATH"] ?? "").split(":")) {
		try {
			const path = realpathSync(join(place, "node"));
			if (basename(path).startsWith("node")) return path;
		} catch {
			// Not here.
		}
	}
	throw new Error("the tests of client libraries need node on the PATH");
}

const arguments_ = (program: string, scenario: string, input: object) => [
	join(folder, `${program}.mjs`),
	scenario,
	JSON.stringify(input),
];

export interface HeldProgram extends Disposable {
	/** Lets it go on and resolves with its answer. */
	go(): Promise<Record<string, unknown>>;
	/** Ends it on the spot. */
	kill(): void;
}

/** Runs a scenario of `test/e2e/clients/<program>.mjs` and answers what it prints. */
export function runProgram(
	program: string,
	scenario: string,
	input: object,
): Promise<Record<string, unknown>> {
	const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
	const args = arguments_(program, scenario, input);
	execFile(findNode(), args, { timeout: PROGRAM_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
		if (error === null) resolve(JSON.parse(stdout));
		else reject(new Error(`${program} ${scenario}: ${stderr.trim() || error.message}`));
	});
	return promise;
}

/** Starts a scenario that waits to be told to go; resolves when it is ready. */
export async function startProgram(program: string, scenario: string, input: object): Promise<HeldProgram> {
	const child = spawn(findNode(), arguments_(program, scenario, input));
	let output = "";
	let complaint = "";
	let hasEnded = false;
	child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		output += chunk;
	});
	child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
		complaint += chunk;
	});
	const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
	void ended.then(() => {
		hasEnded = true;
	});
	const kill = () => void child.kill("SIGKILL");
	await waitFor(
		() => output.startsWith("ready\n") || hasEnded,
		`${program} ${scenario} is ready`,
		PROGRAM_MS,
	);
	if (hasEnded) throw new Error(`${program} ${scenario}: ${complaint}`);
	return {
		go: async () => {
			child.stdin.end("go\n");
			await ended;
			if (complaint !== "") throw new Error(`${program} ${scenario}: ${complaint}`);
			return JSON.parse(output.slice("ready\n".length));
		},
		kill,
		[Symbol.dispose]: kill,
	};
}
