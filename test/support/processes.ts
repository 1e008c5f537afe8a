/** What /proc tells about the processes of a daemon under test. */
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessInfo {
	pid: number;
	parent: number;
	/** With the pid it names one process for good: pids are used again. */
	startedAt: string;
	state: string;
	commandLine: string;
}

const MB = 1024 * 1024;

/** Undefined when there is no such process. */
function findProcess(pid: number): ProcessInfo | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		const [state = "", parent = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
		return { pid, parent: Number(parent), startedAt: rest[17] ?? "", state, commandLine };
	} catch {
		return undefined;
	}
}

/** The processes below this one, its children's children included. */
export function descendantsOf(pid: number): ProcessInfo[] {
	const all = readdirSync("/proc")
		.filter((entry) => /^\d+$/.test(entry))
		.map((entry) => findProcess(Number(entry)))
		.filter((info) => info !== undefined);
	const below = (parent: number): ProcessInfo[] =>
		all.filter((info) => info.parent === parent).flatMap((info) => [info, ...below(info.pid)]);
	return below(pid);
}

/** Those of the processes that still run; a zombie does not. */
export function stillRunning(processes: readonly ProcessInfo[]): ProcessInfo[] {
	return processes.filter(({ pid, startedAt }) => {
		const now = findProcess(pid);
		return now !== undefined && now.startedAt === startedAt && now.state !== "Z";
	});
}

/** The memory that a process has in RAM, in MB. */
export function residentMb(pid: number): number {
	const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
	return Math.round((Number(kilobytes) * 1024) / MB);
}
