import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockDataDir } from "../../../src/store/data-dir-lock.ts";
import { openStore } from "../../../src/store/database.ts";
import { TempDataDir } from "./data-dir.ts";

const holder = join(import.meta.dirname, "children/hold-lock.ts");

test("refuses a second daemon in the same process and frees the lock when disposed of", () => {
	using dir = new TempDataDir();
	const first = lockDataDir(dir.path);
	expect(() => lockDataDir(dir.path)).toThrow(`another barrel daemon is using ${dir.path}; stop it first`);
	first[Symbol.dispose]();
	lockDataDir(dir.path)[Symbol.dispose]();
});

test("refuses a second daemon while another process holds the lock, and gets it once that one was killed with -9", async () => {
	using dir = new TempDataDir();
	const child = spawn(process.execPath, [holder, dir.path], { stdio: ["ignore", "pipe", "inherit"] });
	try {
		await once(child.stdout, "data");
		expect(() => lockDataDir(dir.path)).toThrow("another barrel daemon is using");
	} finally {
		child.kill("SIGKILL");
		await once(child, "exit");
	}
	lockDataDir(dir.path)[Symbol.dispose]();
});

test("leaves the database usable for other processes", () => {
	using dir = new TempDataDir();
	using _lock = lockDataDir(dir.path);
	using store = openStore({ dataDir: dir.path });
	expect(store.transaction(() => 1)).toBe(1);
	expect(statSync(join(dir.path, "daemon.lock")).mode & 0o777).toBe(0o600);
});
