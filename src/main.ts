/** argv → command. The hidden commands come first and import little: each session starts them anew. */
import process from "node:process";

const [command, ...rest] = process.argv.slice(2);

if (command === "shim") {
	const { runShim } = await import("./shim/shim.ts");
	await runShim();
} else if (command === "cage-net") {
	const { runCageNet } = await import("./shim/cage-net.ts");
	runCageNet(rest);
} else {
	const { runCli } = await import("./cli/program.ts");
	process.exitCode = await runCli(process.argv.slice(2));
}
