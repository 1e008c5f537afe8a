/**
 * Processes that outlive the tests. On Linux this process becomes the parent of every orphan below it, so that none
 * escapes: their ends are collected as an init would (a test that waits for a process to be gone must not see a zombie),
 * and those still there at the end are known, and ended.
 */

import { dlopen } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

interface Process {
	pid: number;
	parent: number;
	state: string;
	name: string;
}

const isLinux = process.platform === "linux";

function openLibc() {
	const symbols = {
		prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
		waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
	} as const;
	try {
		return dlopen("libc.so.6", symbols).symbols;
	} catch {
		const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
		return dlopen(`libc.musl-${machine}.so.1`, symbols).symbols;
	}
}

function processes(): Process[] {
	const found: Process[] = [];
	for (const entry of readdirSync("/proc")) {
		if (!/^\d+$/.test(entry)) continue;
		try {
			const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
			const [, name = "?", state = "?", parent = "0"] = /\((.*)\) (\S) (\d+)/s.exec(stat) ?? [];
			found.push({ pid: Number(entry), parent: Number(parent), state, name });
		} catch {
			// It ended while we looked.
		}
	}
	return found;
}

function descendants(): Process[] {
	const all = processes();
	const below = new Set([process.pid]);
	for (let before = 0; before !== below.size; ) {
		before = below.size;
		for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
	}
	return all.filter(({ pid, state }) => pid !== process.pid && below.has(pid) && state !== "Z");
}

/** Takes in orphans from here on. `own` are children that Bun itself waits for. The answer stops it and ends who is left. */
export function adoptOrphans(own: Set<number>): () => Promise<string[]> {
	if (!isLinux) return async () => [];
	const libc = openLibc();
	const PR_SET_CHILD_SUBREAPER = 36;
	const WNOHANG = 1;
	libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	const reap = () => {
		for (const { pid, parent, state } of processes()) {
			if (state === "Z" && parent === process.pid && !own.has(pid)) libc.waitpid(pid, null, WNOHANG);
		}
	};
	const timer = setInterval(reap, 50);
	return async () => {
		const left = descendants();
		for (let tries = 0; tries < 40 && descendants().length > 0; tries++) {
			for (const { pid } of descendants()) {
				try {
					process.kill(pid, tries < 20 ? "SIGTERM" : "SIGKILL");
				} catch {
					// It ended by itself.
				}
			}
			await Bun.sleep(100);
		}
		reap();
		clearInterval(timer);
		return left.map(({ pid, name }) => `${name} (${pid})`);
	};
}
