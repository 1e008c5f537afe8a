/** What goes wrong before or around a start: one clear sentence, an exit code other than 0, and a daemon that lives on. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { connectCdp } from "../support/cdp.ts";
import { sessionFolders, startTestDaemon } from "../support/daemon.ts";
import { waitFor } from "../support/wait-for.ts";

const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync("/tmp/bt-");
	chmodSync(folder, 0o755);
});
afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

function serve(toml: string, environment: Record<string, string> = {}) {
	const config = join(folder, "config.toml");
	writeFileSync(config, toml);
	return spawnSync(inject("binary"), ["serve", "--config", config], {
		encoding: "utf8",
		cwd: folder,
		timeout: 20_000,
		env: { PATH: process.env["PATH"], HOME: folder, ...environment },
	});
}

function server(listen = "127.0.0.1:0"): string {
	return `[server]\nlisten = "${listen}"\ndata_dir = "${folder}/data"\nrun_dir = "${folder}/run"\n`;
}

describe("a daemon that cannot run says why in one sentence and ends with 1", () => {
	test("when bubblewrap is missing", () => {
		const tools = join(folder, "bin");
		mkdirSync(tools);
		for (const tool of ["unshare", "setpriv", "true"]) symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
		const { status, stderr } = serve(server(), { PATH: tools });
		expect(stderr).toMatch(/^barrel: bubblewrap \(bwrap\) is not installed; install the package bubblewrap/);
		expect(stderr.trim().split("\n")).toHaveLength(1);
		expect(status).toBe(1);
	});

	test("when namespaces may not be made", () => {
		const tools = join(folder, "bin");
		mkdirSync(tools);
		symlinkSync("/usr/bin/bwrap", join(tools, "bwrap"));
		writeFileSync(
			join(tools, "unshare"),
			"#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n",
		);
		chmodSync(join(tools, "unshare"), 0o755);
		const { status, stderr } = serve(server(), { PATH: `${tools}:${process.env["PATH"]}` });
		expect(stderr).toMatch(
			/^barrel: sessions cannot be isolated on this machine: namespaces may not be made here/,
		);
		expect(stderr).toContain("Operation not permitted");
		expect(status).toBe(1);
	});

	test("when the port is in use", async () => {
		await using daemon = await startTestDaemon();
		const { port } = new URL(daemon.url);
		const { status, stderr } = serve(server(`127.0.0.1:${port}`));
		expect(stderr).toMatch(new RegExp(`^barrel: server\\.listen: 127\\.0\\.0\\.1:${port} is in use`));
		expect(status).toBe(1);
	});

	test("when another daemon has the data folder", async () => {
		await using daemon = await startTestDaemon();
		const { status, stderr } = serve(
			`[server]\nlisten = "127.0.0.1:0"\ndata_dir = "${daemon.dataDir}"\nrun_dir = "${folder}/run"\n`,
		);
		expect(stderr).toMatch(/^barrel: another barrel daemon is using .*; stop it first/);
		expect(status).toBe(1);
		expect((await daemon.api.call("GET", "/image")).body["status"]).toBe("ok");
	});

	test("when the configuration cannot be read or is wrong, with file, line and key", () => {
		const wrong = serve("[server]\nlisten = 7\n\n[sesions]\n");
		expect(wrong.stderr).toContain("config.toml:2: server.listen");
		expect(wrong.stderr).toContain("config.toml:4: sesions");
		expect(wrong.status).toBe(1);
		const missing = spawnSync(inject("binary"), ["serve", "--config", join(folder, "none.toml")], {
			encoding: "utf8",
		});
		expect(missing.stderr).toContain("none.toml");
		expect(missing.status).toBe(1);
	});

	test("when the run folder's path is too long for sockets", () => {
		const { status, stderr } = serve(`[server]\nrun_dir = "${folder}/${"long".repeat(20)}"\n`);
		expect(stderr).toMatch(/server\.run_dir/);
		expect(status).toBe(1);
	});
});

describe("a daemon that runs refuses a start with one sentence and lives on", () => {
	test("when the browser is not installed", async () => {
		const images = '[[images]]\nid = "chrome"\nname = "Chrome"\nexecutable = "/nonexistent/chrome"\n';
		await using daemon = await startTestDaemon({ config: images });
		const { http, body } = await daemon.api.call("POST", "/web/sessions", {});
		expect(http).toBe(200);
		expect(body).toEqual({
			status: "error",
			code: "internal_error",
			message: "No browser for the image chrome is installed on the server.",
		});
		expect(daemon.log()).toContain("no browser was found");
		expect(await daemon.api.list("?status=all")).toEqual([]);
	});

	test("when the browser is no browser: the session ends as error and the slot is free", async () => {
		const images = '[[images]]\nid = "chrome"\nname = "Chrome"\nexecutable = "/usr/bin/true"\n';
		await using daemon = await startTestDaemon({ config: images });
		const session = await daemon.api.start();
		expect(await daemon.api.until(session.id, "ended")).toMatchObject({ endedReason: "error" });
		await waitFor(() => sessionFolders(daemon.runDir).length === 0, "the folder is gone");
		expect((await daemon.api.start()).quota).toMatchObject({ running_sessions_used: 1 });
	});

	test.runIf(isRoot)(
		"when the disk of the database is full, and starts again when there is room",
		async () => {
			const data = join(folder, "data");
			mkdirSync(data);
			execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", data]);
			try {
				await using daemon = await startTestDaemon({
					as: "root",
					config: "",
					environment: { BARREL__SERVER__DATA_DIR: data },
				});
				const kept = await daemon.api.startRunning();
				const ballast = join(data, "ballast");
				expect(() =>
					execFileSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4k"], { stdio: "ignore" }),
				).toThrow("Command failed");
				const statuses: unknown[] = [];
				for (let attempt = 0; attempt < 3; attempt++)
					statuses.push(
						(await daemon.api.call("POST", "/web/sessions", { name: "x".repeat(64) })).body["status"],
					);
				expect(statuses).toContain("error");
				const cdp = await connectCdp(kept.connectUrl);
				expect(await cdp.evaluate("6 * 7", await cdp.firstPage())).toBe(42);
				rmSync(ballast);
				for (const { id } of await daemon.api.list()) await daemon.api.stop(id);
				await daemon.api.startRunning();
			} finally {
				execFileSync("umount", ["--lazy", data]);
			}
		},
	);
});
