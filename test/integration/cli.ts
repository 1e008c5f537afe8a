import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const config = `
[server]
data_dir = "data"
run_dir = "/tmp/barrel-cli-test"

[[plans]]
id = "analyst"
name = "Analyst"

[[plans]]
id = "team"
name = "Team"
`;

export type Outcome = { code: number | null; stdout: string; stderr: string };

type Input = { stdin?: string; keepStdinOpen?: boolean };

/** A folder with a configuration, in which the command line is run as a child process. */
export class CommandLine implements Disposable {
	readonly main = join(import.meta.dirname, "../../src/main.ts");
	readonly folder = mkdtempSync(join(tmpdir(), "barrel-cli-"));
	readonly dataDir = join(this.folder, "data");
	readonly configFile = join(this.folder, "config.toml");

	constructor() {
		writeFileSync(this.configFile, config);
	}

	async run(args: readonly string[], options: Input = {}): Promise<Outcome> {
		const child = spawn(process.execPath, [this.main, ...args], {
			cwd: this.folder,
			env: { PATH: process.env["PATH"] ?? "", HOME: this.folder },
			stdio: "pipe",
		});
		child.stdin.write(options.stdin ?? "");
		if (!options.keepStdinOpen) child.stdin.end();
		const [stdout, stderr, [code]] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, "close"),
		]);
		return { code: typeof code === "number" ? code : null, stdout, stderr };
	}

	/** The JSON value that a command printed; throws unless it succeeded with one line on stdout and none on stderr. */
	async json(args: readonly string[], stdin?: string): Promise<unknown> {
		const { code, stdout, stderr } = await this.run(
			[...args, "--json"],
			stdin === undefined ? {} : { stdin },
		);
		if (code !== 0 || stderr !== "" || stdout.trimEnd().includes("\n")) {
			throw new Error(`exit ${code}: ${stdout}${stderr}`);
		}
		return JSON.parse(stdout);
	}

	[Symbol.dispose](): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
