/**
 * Finds and ends the processes of a session. Every process that the daemon starts for one names the session's folder on
 * its command line, and the end of a process namespace's first process ends all others in it, so no pid has to be kept.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { sleep } from "../base/wait.ts";

const RECHECK_MS = 10;

function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8");
	} catch {
		return "";
	}
}

function isOurs(pid: number, folderPrefix: string): boolean {
	const line = commandLine(pid);
	if (!line.includes(folderPrefix)) return false;
	// An operator's `tail` or editor on a file in the folder is not ours to end: it runs from a terminal's shell, we do not.
	try {
		return !/\/(?:tail|less|cat|vi|vim|nano|grep|bash|sh|dash|zsh|fish|ls|find|strace|sudo)$/.test(
			readlinkSync(`/proc/${pid}/exe`),
		);
	} catch {
		return true;
	}
}

/** The pids whose command line names something below `folder`. Empty where there is no /proc. */
function processesOf(folder: string): number[] {
	let entries: string[];
	try {
		entries = readdirSync("/proc");
	} catch {
		return [];
	}
	const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
	return pids.filter((pid) => pid !== process.pid && isOurs(pid, `${folder}/`));
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// Gone already.
	}
}

/** Kills every process of the folder and resolves when none is left. Rejects when some survive `withinMs`. */
export async function endProcessesOf(folder: string, withinMs = 10_000): Promise<void> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		const pids = processesOf(folder);
		if (pids.length === 0) return;
		if (Date.now() > deadline) throw new Error(`processes ${pids.join(", ")} of ${folder} do not end`);
		for (const pid of pids) kill(pid);
		await sleep(RECHECK_MS);
	}
}
