/** Runs every checker at the same time and prints one line for each, then what the failed ones said. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";

const root = join(import.meta.dir, "..");
const bin = (name: string) => join(root, "node_modules/.bin", name);
const fix = process.argv.includes("--fix");

interface Check {
	name: string;
	command: string[];
	/** Why the output means failure although the command ended with 0. */
	isHollow?: (output: string) => boolean;
}

async function shellScripts(): Promise<string[]> {
	const found: string[] = [];
	for (const folder of ["scripts", ".ci"]) {
		for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
			if (!entry.isFile()) continue;
			const file = join(root, folder, entry.name);
			const head = await Bun.file(file).slice(0, 20).text();
			if (/^#!.*\b(?:ba)?sh\b/.test(head)) found.push(file);
		}
	}
	return found;
}

async function shellChecks(): Promise<Check[]> {
	const files = await shellScripts();
	const syntax =
		'for file in "$@"; do case $(head -n 1 "$file") in *bash*) bash -n "$file" ;; *) sh -n "$file" ;; esac || exit 1; done';
	const checks: Check[] = [{ name: "sh -n", command: ["sh", "-c", syntax, "sh", ...files] }];
	if (Bun.which("shellcheck") !== null)
		checks.push({ name: "shellcheck", command: ["shellcheck", ...files] });
	return checks;
}

/** A checker that is JavaScript runs under the pinned Bun: the machine's Node may be missing or too old. */
const bun = (...command: string[]) => [process.execPath, "--bun", ...command];

const sources = ["src", "test", "scripts"];
const checks: Check[] = [
	{
		name: "biome",
		command: bun(bin("biome"), "check", "--linter-enabled=false", ...(fix ? ["--write"] : []), "."),
	},
	{ name: "oxlint", command: bun(bin("oxlint"), "--type-aware", "--deny-warnings", ".") },
	{ name: "tsc", command: bun(bin("tsc"), "--noEmit", "--pretty", "false") },
	{
		name: "depcruise",
		command: bun(bin("depcruise"), "--config", ".dependency-cruiser.cjs", ...sources),
		// With a parser missing it looks at nothing and is content.
		isHollow: (output) => !/\b[1-9]\d* modules\b/.test(output),
	},
	{ name: "knip", command: bun(bin("knip"), "--no-progress") },
	...(await shellChecks()),
];

async function run({ name, command, isHollow }: Check): Promise<string | undefined> {
	const started = performance.now();
	const { exitCode, stdout, stderr } = await $`${command}`
		.cwd(root)
		.env({ ...process.env, NO_COLOR: "1" })
		.quiet()
		.nothrow();
	const output = `${stdout.toString()}${stderr.toString()}`.trim();
	const failed = exitCode !== 0 || (isHollow?.(output) ?? false);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	console.log(`${failed ? "FAIL" : "ok  "} ${name.padEnd(10)} ${seconds} s`);
	return failed ? `── ${name} ──\n${output || "(no output)"}` : undefined;
}

const failures = (await Promise.all(checks.map(run))).filter((failure) => failure !== undefined);
for (const failure of failures) console.log(`\n${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
