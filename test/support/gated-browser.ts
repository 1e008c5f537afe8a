/** A browser that starts only when the test says so, for what happens to a session while it is `starting`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "../../src/catalog/browsers.ts";

export interface GatedBrowser extends AsyncDisposable {
	/** For `[[images]]`. It runs without a cage, which would hide the gate. */
	readonly executable: string;
	/** Lets every start go on, those to come as well. */
	open(): Promise<void>;
}

export async function createGatedBrowser(): Promise<GatedBrowser> {
	const folder = mkdtempSync("/tmp/bt-gate-");
	chmodSync(folder, 0o755);
	const executable = join(folder, "browser");
	const gate = join(folder, "gate");
	const browser = findBrowser();
	const script = [
		"#!/bin/sh",
		`[ "$1" = --version ] && exec ${browser} --version`,
		`exec flock --shared --no-fork ${gate} ${browser} "$@"`,
	];
	writeFileSync(executable, script.join("\n"), { mode: 0o755 });
	writeFileSync(gate, "");
	const keeper = spawn("flock", [
		"--exclusive",
		"--no-fork",
		gate,
		"sh",
		"-c",
		"echo closed; exec sleep 600",
	]);
	const gone = once(keeper, "exit");
	await once(keeper.stdout, "data");
	const open = async () => {
		keeper.kill("SIGKILL");
		await gone;
	};
	return {
		executable,
		open,
		[Symbol.asyncDispose]: async () => {
			await open();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
