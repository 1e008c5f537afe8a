/** Tries a cage before the first session needs one, and says what to do when it cannot be had. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf, OperatorError } from "../base/errors.ts";
import { cageCommand } from "./cage.ts";

const run = promisify(execFile);
const TRIAL_MS = 10_000;
const WAY_OUT = 'or, giving up isolation, set sessions.isolation = "none"';

export interface CageAbilities {
	canSizeTmpfs: boolean;
}

async function bubblewrapVersion(): Promise<readonly [number, number]> {
	let output: string;
	try {
		output = (await run("bwrap", ["--version"])).stdout;
	} catch {
		throw new OperatorError(
			`bubblewrap (bwrap) is not installed; install the package bubblewrap, ${WAY_OUT}`,
		);
	}
	const [, major, minor] = /(\d+)\.(\d+)/.exec(output) ?? [];
	if (major === undefined || minor === undefined)
		throw new OperatorError(`bwrap --version says no version: ${output}`);
	return [Number(major), Number(minor)];
}

/** What the messages of a failed trial mean, and the way to repair it. */
function explain(output: string): string {
	if (/max_[a-z]+_namespaces|No space left on device/.test(output))
		return "the limit of user namespaces is reached; raise the sysctl user.max_user_namespaces";
	if (/uid map: Permission denied|RTM_NEWADDR|write failed \/proc\/self\/uid_map/.test(output))
		return "AppArmor keeps ordinary programs from making user namespaces; install the AppArmor profile of the README";
	if (/Can't mount proc|overflowuid/.test(output))
		return "/proc is masked; leave out ProtectKernelTunables, ProtectKernelLogs and ProcSubset, or start the container with its /proc unmasked";
	if (/Operation not permitted|No permissions to create|unshare failed/.test(output))
		return "namespaces may not be made here; look for RestrictNamespaces, a seccomp filter or kernel.unprivileged_userns_clone = 0";
	if (/unshare.*not found|ENOENT/.test(output))
		return "unshare is not installed; install the package util-linux";
	return "see the message";
}

/** Starts an empty cage. Throws an OperatorError that says what is missing. */
export async function checkCage(options: {
	self: string;
	runDir: string;
	uid: number | undefined;
}): Promise<CageAbilities> {
	const [major, minor] = await bubblewrapVersion();
	const canSizeTmpfs = major > 0 || minor >= 8;
	const trialDir = join(options.runDir, "trial");
	const inDir = join(trialDir, "in");
	const outDir = join(trialDir, "out");
	for (const dir of [inDir, outDir]) mkdirSync(dir, { recursive: true });
	const [program = "", ...args] = cageCommand({
		self: options.self,
		inDir,
		outDir,
		executable: "/usr/bin/true",
		uid: options.uid,
		canSizeTmpfs,
		program: ["true"],
	});
	try {
		await run(program, args, { timeout: TRIAL_MS });
	} catch (error) {
		const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
		const said = output === "" ? messageOf(error) : output;
		throw new OperatorError(
			`sessions cannot be isolated on this machine: ${explain(said)}, ${WAY_OUT}. It said: ${said}`,
		);
	} finally {
		rmSync(trialDir, { recursive: true, force: true });
	}
	return { canSizeTmpfs };
}
