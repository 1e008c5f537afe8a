/**
 * `isolation = "none"`: the same shim and browser without a cage, for macOS or by the operator's choice. Chrome can then read
 * what its user can read; only flags keep its traffic on the proxy. A root daemon still gives each session a user of its own.
 */
import { OperatorError } from "../base/errors.ts";
import { setprivCommand } from "./cage.ts";

/** Chromium's singleton socket lies below TMPDIR and has to fit into a socket address of 107 bytes. */
const LONGEST_TMPDIR = 62;

export interface UncagedOptions {
	self: string;
	uid: number | undefined;
	/** The session's folder: named on the command line so that its processes can be found by it. */
	folder: string;
}

export function uncagedCommand(options: UncagedOptions): string[] {
	const shim = [options.self, "shim", `${options.folder}/`];
	return options.uid === undefined ? shim : [...setprivCommand(options.uid), ...shim];
}

export function uncagedEnvironment(outDir: string): Record<string, string> {
	return {
		HOME: outDir,
		TMPDIR: outDir,
		XDG_RUNTIME_DIR: outDir,
		PATH: "/usr/bin:/bin",
		LANG: "C.UTF-8",
		DBUS_SESSION_BUS_ADDRESS: "disabled:",
		DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
	};
}

/** Throws when scratch folders below `runDir` would be too long for Chromium. */
export function checkUncagedRunDir(runDir: string): void {
	const longest = LONGEST_TMPDIR - "/brl-v-v7-12345678901234567890/out".length;
	if (Buffer.byteLength(runDir) > longest)
		throw new OperatorError(
			`server.run_dir must be at most ${longest} bytes long with sessions.isolation = "none"; ${runDir} is longer`,
		);
}
