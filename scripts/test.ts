/** Runs vitest under the pinned Bun, first without and then with browsers, and adds up what passed and failed. */
import { rmSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { adoptOrphans } from "./leftovers.ts";

const root = join(import.meta.dir, "..");
const args = process.argv.slice(2);

/** What of vitest's JSON report is read here. */
interface Report {
	numPassedTests: number;
	numFailedTests: number;
	testResults: { status: string; assertionResults: { status: string }[] }[];
}

interface Count {
	passed: number;
	failed: number;
}

function countOf(report: Report, exitCode: number): Count {
	// A file that could not be loaded has failed although it holds no failed test.
	const unloadable = report.testResults.filter(
		({ status, assertionResults }) =>
			status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"),
	).length;
	const failed = report.numFailedTests + unloadable;
	return { passed: report.numPassedTests, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}

/** Sockets and Chromium's own folders need a short path; every user of a session must be able to pass through. */
const scratch = await mkdtemp(process.platform === "darwin" ? "/private/tmp/brl-" : "/tmp/brl-");
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
await chmod(scratch, 0o711);
const temporary = join(scratch, "t");
await mkdir(temporary);
await chmod(temporary, 0o1777);

const own = new Set<number>();
const endLeftovers = adoptOrphans(own);

async function runVitest(name: string, selection: string[]): Promise<Count> {
	const reportFile = join(scratch, `${name}.json`);
	const child = Bun.spawn({
		cmd: [
			process.execPath,
			join(root, "node_modules/vitest/vitest.mjs"),
			"run",
			"--passWithNoTests",
			"--reporter=default",
			"--reporter=json",
			`--outputFile.json=${reportFile}`,
			...selection,
			...args,
		],
		cwd: root,
		env: { ...process.env, TMPDIR: temporary },
		stdio: ["ignore", "inherit", "inherit"],
	});
	own.add(child.pid);
	const exitCode = await child.exited;
	const report = Bun.file(reportFile);
	if (!(await report.exists())) return { passed: 0, failed: 1 };
	return countOf(await report.json(), exitCode);
}

let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		interrupted = true;
		for (const pid of own) {
			try {
				process.kill(pid, signal);
			} catch {
				// It has ended already.
			}
		}
	});
}

const isOneProject = args.some((arg) => arg === "--project" || arg.startsWith("--project="));
const total: Count = { passed: 0, failed: 0 };
for (const project of isOneProject ? [undefined] : ["unit", "e2e"]) {
	if (interrupted) break;
	const { passed, failed } = await runVitest(
		project ?? "chosen",
		project === undefined ? [] : ["--project", project],
	);
	total.passed += passed;
	total.failed += failed;
}

const left = await endLeftovers();
if (left.length > 0) console.log(`test: ended processes that tests left behind: ${left.join(", ")}`);
const files = await readdir(temporary);
if (files.length > 0) console.log(`test: removed files that tests left behind: ${files.join(", ")}`);
if (interrupted) total.failed += 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
