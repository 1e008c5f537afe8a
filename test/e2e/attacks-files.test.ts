/** What a CDP client tries in order to read or write files of the host. */
import { randomBytes } from "node:crypto";
import {
	chmodSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	download,
	downloadingPage,
	listFolder,
	processesOfSession,
	readThroughInput,
} from "../support/caged.ts";
import { type CdpConnection, connectCdp } from "../support/cdp.ts";
import { runAsChoices, startTestDaemon, type TestDaemon } from "../support/daemon.ts";

const secret = `marker ${randomBytes(16).toString("hex")}`;
const CAGED_FILE = "/etc/fonts/fonts.conf";
const CAGED_CONTENT = "<fontconfig>";

/** World-readable marker files all over the host. */
function placeMarkers(): { files: string[]; remove(): void } {
	const folders = [
		"/tmp",
		"/var/tmp",
		"/home",
		"/root",
		"/opt",
		"/srv",
		"/dev/shm",
		"/usr/local/share",
	].flatMap((parent) => {
		try {
			const folder = mkdtempSync(join(parent, "barrel-marker-"));
			chmodSync(folder, 0o755);
			return [folder];
		} catch {
			return [];
		}
	});
	const files = folders.map((folder) => {
		const file = join(folder, "marker.txt");
		writeFileSync(file, secret, { mode: 0o644 });
		return file;
	});
	return { files, remove: () => folders.forEach((folder) => rmSync(folder, { recursive: true })) };
}

/** The paths below `folder` and their sizes. */
function snapshot(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
		try {
			return `${name} ${statSync(join(folder, name)).isFile()}`;
		} catch {
			return name;
		}
	});
}

describe.each(runAsChoices)("with the daemon run as %s, a client", (as) => {
	let daemon: TestDaemon;
	let id: string;
	let cdp: CdpConnection;
	let page: string;
	let markers: ReturnType<typeof placeMarkers>;

	beforeAll(async () => {
		markers = placeMarkers();
		daemon = await startTestDaemon({ as });
		const session = await daemon.api.startRunning();
		id = session.id;
		cdp = await connectCdp(session.connectUrl);
		page = await cdp.newPage();
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		markers?.remove();
	});

	test("opens what the cage holds, so that what follows can fail", async () => {
		const { text } = await cdp.visit(`file://${CAGED_FILE}`, page);
		expect(text).toContain("fontconfig");
		expect(await listFolder(cdp, page, "/etc/fonts")).toContain("fonts.conf");
	});

	test("reads no marker file of the host by its address", async () => {
		expect(markers.files.length).toBeGreaterThan(1);
		for (const file of markers.files) {
			expect(readFileSync(file, "utf8")).toBe(secret);
			const { errorText, text } = await cdp.visit(`file://${file}`, page);
			expect({ file, errorText, text }).toMatchObject({ errorText: "net::ERR_FILE_NOT_FOUND" });
			expect(text).not.toContain(secret);
		}
	});

	test.each([
		"/etc/passwd",
		"/etc/shadow",
		"/etc/hosts",
		"/etc/hostname",
		"/etc/resolv.conf",
		"/etc/machine-id",
		"/etc/ssl/private",
		"/root",
		"/sys",
		"/boot",
		"/var/lib",
		"/var/log",
		"/dev/vda",
		"/dev/mem",
	])("does not find %s", async (path) => {
		for (const url of [
			`file://${path}`,
			`file://localhost${path}`,
			`view-source:file://${path}`,
			`file:///proc/self/root${path}`,
		]) {
			const { errorText } = await cdp.visit(url, page);
			expect({ url, errorText }).not.toEqual({ url, errorText: undefined });
		}
	});

	test("finds none of the daemon's own files", async () => {
		const paths = [
			daemon.folder,
			daemon.dataDir,
			`${daemon.dataDir}/barrel.db`,
			`${daemon.folder}/config.toml`,
			daemon.runDir,
			`${daemon.runDir}/${id}`,
			daemon.binary,
			`${import.meta.dirname}/../../package.json`,
		];
		for (const path of paths) {
			expect(existsSync(path)).toBe(true);
			expect({ path, errorText: (await cdp.visit(`file://${path}`, page)).errorText }).toEqual({
				path,
				errorText: "net::ERR_FILE_NOT_FOUND",
			});
		}
	});

	test("finds nothing of the host in the folders that there are", async () => {
		const visible = async (folder: string) =>
			(await listFolder(cdp, page, folder))?.filter(
				(name) => !/^(\.|\[|dconf$|org\.chromium\.|com\.google\.|x?)$/.test(name),
			);
		const root = await visible("/");
		for (const name of root ?? [])
			expect([
				"bin",
				"dev",
				"etc",
				"home",
				"lib",
				"lib32",
				"lib64",
				"libx32",
				"opt",
				"proc",
				"run",
				"sbin",
				"tmp",
				"usr",
				"var",
			]).toContain(name);
		for (const name of (await visible("/etc")) ?? ["nothing"])
			expect([
				"alternatives",
				"fonts",
				"ld.so.cache",
				"ld.so.conf",
				"ld.so.conf.d",
				"localtime",
				"pki",
				"ssl",
			]).toContain(name);
		expect(await visible("/etc")).toContain("fonts");
		expect(await visible("/home")).toEqual(["browser"]);
		expect(await visible("/run")).toEqual(["barrel"]);
		expect((await visible("/run/barrel"))?.sort()).toEqual(["in", "out"]);
		expect((await visible("/run/barrel/in"))?.sort()).toEqual(["control.sock", "egress.sock"]);
		expect(await visible("/opt")).toEqual(["barrel"]);
		expect(await visible("/opt/barrel")).toEqual(["barrel"]);
		expect(await visible("/var")).toEqual(["cache"]);
		expect(await visible("/usr/local")).toEqual(["share"]);
		for (const name of (await visible("/tmp")) ?? ["nothing"])
			expect(name).toMatch(/^(dconf|org\.chromium\..*|\.org\.chromium\..*)$/);
	});

	test("sees the processes of its own cage only", async () => {
		const pids =
			(await listFolder(cdp, page, "/proc"))?.filter((name) => /^\d+$/.test(name)).map(Number) ?? [];
		const inside = processesOfSession(join(daemon.runDir, id)).map((process) =>
			Number(process.status("NSpid").split(/\s+/)[1]),
		);
		expect(pids).toContain(1);
		expect(pids.length).toBeGreaterThan(3);
		expect(pids.length).toBeLessThan(60);
		expect(inside).toEqual(expect.arrayContaining(pids.filter((pid) => inside.includes(pid))));
		for (const hostPid of [process.pid, daemon.pid, process.ppid]) {
			if (inside.includes(hostPid)) continue;
			expect(await listFolder(cdp, page, `/proc/${hostPid}`)).toBeUndefined();
		}
	});

	test("reaches no host file by way of another process's root, folder or descriptors", async () => {
		const file = markers.files[0] ?? "";
		for (const pid of [1, 2, 3, "self", "thread-self"]) {
			for (const path of [
				`/proc/${pid}/root${file}`,
				`/proc/${pid}/cwd${file}`,
				`/proc/${pid}/root/../..${file}`,
				`/proc/${pid}/root/etc/passwd`,
			]) {
				expect((await cdp.visit(`file://${path}`, page)).text).not.toContain(secret);
				expect((await cdp.visit(`file://${path}`, page)).errorText).toBeDefined();
			}
		}
	});

	test("finds no trace of another session", async () => {
		const other = await daemon.api.startRunning();
		expect(existsSync(join(daemon.runDir, other.id, "in", "egress.sock"))).toBe(true);
		for (const folder of ["/run", "/run/barrel", "/run/barrel/in", "/run/barrel/out", "/tmp"])
			expect(String(await listFolder(cdp, page, folder))).not.toContain(other.id);
		for (const path of [
			`${daemon.runDir}/${other.id}`,
			`/run/barrel/${other.id}`,
			`/run/barrel/in/../../../${other.id}`,
			`/run/barrel/in/../../${other.id}/in/egress.sock`,
		])
			expect((await cdp.visit(`file://${path}`, page)).errorText).toBe("net::ERR_FILE_NOT_FOUND");
		const cagePid = processesOfSession(join(daemon.runDir, id)).find(({ commandLine }) =>
			commandLine.startsWith("/opt/barrel/barrel shim"),
		)?.pid;
		const mounts = readFileSync(`/proc/${cagePid}/mountinfo`, "utf8");
		expect(mounts).toContain(id);
		expect(mounts).not.toContain(other.id);
		await daemon.api.stop(other.id);
	});

	test("gets an empty hand from a page's file input for a host path", async () => {
		await cdp.visit("about:blank", page);
		expect(await readThroughInput(cdp, page, CAGED_FILE)).toContain(CAGED_CONTENT);
		for (const path of [
			...markers.files,
			"/etc/passwd",
			`${daemon.folder}/config.toml`,
			`${daemon.dataDir}/barrel.db`,
		])
			expect({ path, content: await readThroughInput(cdp, page, path) }).toEqual({
				path,
				content: "unreadable",
			});
	});

	test("gets an empty hand from dropping a host path on a page", async () => {
		await cdp.visit("about:blank", page);
		const drop = async (path: string): Promise<string> => {
			await cdp.evaluate(
				`globalThis.dropped = new Promise((resolve) => {
					document.body.innerHTML = '<div style="position:fixed;inset:0"></div>';
					document.ondragover = document.ondragenter = (event) => event.preventDefault();
					document.ondrop = (event) => {
						event.preventDefault();
						const file = event.dataTransfer.files[0];
						resolve(file === undefined ? "no file" : file.text().catch(() => "unreadable"));
					};
				}); undefined`,
				page,
			);
			const data = { items: [], files: [path], dragOperationsMask: 1 };
			for (const type of ["dragEnter", "dragOver", "drop"])
				await cdp.send("Input.dispatchDragEvent", { type, x: 50, y: 50, data }, page);
			return String(await cdp.evaluate("globalThis.dropped", page));
		};
		expect(await drop(CAGED_FILE)).toContain(CAGED_CONTENT);
		for (const path of [...markers.files, "/etc/passwd"])
			expect(await drop(path)).toMatch(/^(unreadable|no file)$/);
	});

	test("cannot load a host file as a network resource", async () => {
		const { frameTree } = JSON.parse(JSON.stringify(await cdp.send("Page.getFrameTree", {}, page)));
		for (const path of [markers.files[0], "/etc/passwd"]) {
			const loaded = cdp.send(
				"Network.loadNetworkResource",
				{
					frameId: frameTree.frame.id,
					url: `file://${path}`,
					options: { disableCache: true, includeCredentials: false },
				},
				page,
			);
			expect(JSON.stringify(await loaded.catch(String))).not.toContain('"success":true');
		}
	});

	test("writes no download outside the cage, whatever folder it names", async () => {
		const targets = [
			...markers.files.map((file) => file.slice(0, file.lastIndexOf("/"))),
			daemon.folder,
			daemon.dataDir,
			daemon.runDir,
			join(daemon.runDir, id),
			join(daemon.runDir, id, "in"),
			"/etc",
			join(import.meta.dirname, "../.."),
			"/run/barrel/in/../../..",
		];
		const name = `evil-${randomBytes(6).toString("hex")}.bin`;
		const ends = [];
		for (const folder of targets)
			ends.push(await download(cdp, await downloadingPage(cdp, folder), name, "evil"));
		expect(await download(cdp, await downloadingPage(cdp, "/tmp/fine"), name, "fine")).toBe("completed");
		expect(ends).toContain("completed");
		expect(await readThroughInput(cdp, page, `/tmp/fine/${name}`)).toBe("fine");
		for (const folder of targets)
			expect({ folder, there: existsSync(join(folder, name)) }).toEqual({ folder, there: false });
		expect(snapshot(daemon.folder).filter((line) => line.includes(name))).toEqual([]);
	});

	test("has no place to write to but sized scratch space", async () => {
		const states: Record<string, string> = {};
		for (const folder of [
			"/",
			"/dev",
			"/dev/mqueue",
			"/usr/local",
			"/usr/local/x",
			"/run/barrel",
			"/run/barrel/in",
			"/run/barrel/out",
			"/run/barrel/out/x",
			"/etc/x",
			"/var/x",
			"/opt/x",
			"/home/x",
			"/proc/1/root/x",
			"/proc/2/cwd/x",
		])
			states[folder] = await download(cdp, await downloadingPage(cdp, folder), "x.bin", "x");
		expect(Object.entries(states).filter(([, state]) => state === "completed")).toEqual([]);
		expect(readdirSync(join(daemon.runDir, id, "out")).sort()).toEqual(["exit.json", "shim.json"]);
	});

	test.each([
		"../../../../tmp/NAME",
		"..%2f..%2ftmp%2fNAME",
		"/tmp/NAME",
		"..\\..\\NAME",
		"/run/barrel/out/NAME",
		"NAME\u0000.txt",
	])("keeps a download called %s in the cage", async (pattern) => {
		const mark = `evil-${randomBytes(6).toString("hex")}`;
		const target = await downloadingPage(cdp, "/tmp/named");
		expect(await download(cdp, target, pattern.replace("NAME", mark), "evil")).toBe("completed");
		const landed = await listFolder(cdp, page, "/tmp/named");
		expect(String(landed)).toContain(mark);
		expect(existsSync(`/tmp/${mark}`)).toBe(false);
		expect(
			snapshot(daemon.folder)
				.map((line) => basename(line))
				.filter((line) => line.includes(mark)),
		).toEqual([]);
	});

	test("leaves nothing behind that it wrote", async () => {
		await daemon.api.stop(id);
		await daemon.api.until(id, "ended");
		for (const file of markers.files) expect(readdirSync(join(file, ".."))).toEqual(["marker.txt"]);
	});
});
