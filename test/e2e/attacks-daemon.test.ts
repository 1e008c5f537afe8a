/** What is tried against the daemon itself: its sockets, its secrets, and the privileges that a session's processes have. */
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartedSession } from "../support/api.ts";
import { browserProcess, processesOfSession } from "../support/caged.ts";
import { type Canary, isReachable, startCanary } from "../support/canary.ts";
import { type CdpConnection, connectCdp } from "../support/cdp.ts";
import { openDescriptors, runAsChoices, startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { rawAnswer, tokenOf, upgradeOf } from "../support/raw-socket.ts";
import { waitFor } from "../support/wait-for.ts";

const NAMESPACES = ["net", "pid", "mnt", "ipc", "uts"] as const;

function namespacesOf(pid: number): string[] {
	return NAMESPACES.map((name) => readlinkSync(`/proc/${pid}/ns/${name}`));
}

/** The processes whose command line or environment holds one of the texts; this one is left out. */
function processesShowing(texts: readonly string[]): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.flatMap((pid) =>
			["cmdline", "environ"]
				.filter((file) => {
					try {
						const content = readFileSync(`/proc/${pid}/${file}`, "latin1");
						return texts.some((text) => content.includes(text));
					} catch {
						return false;
					}
				})
				.map((file) => `${pid}/${file}`),
		);
}

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	let daemon: TestDaemon;
	let session: StartedSession;
	let cdp: CdpConnection;
	let page: string;
	let canary: Canary;
	let folder: string;

	beforeAll(async () => {
		canary = await startCanary();
		daemon = await startTestDaemon({ as });
		session = await daemon.api.startRunning();
		folder = join(daemon.runDir, session.id);
		cdp = await connectCdp(session.connectUrl);
		page = await cdp.newPage();
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		await canary?.[Symbol.asyncDispose]();
	});

	const port = (): number => Number(new URL(daemon.url).port);
	const secrets = (): string[] => {
		const database = new Database(join(daemon.dataDir, "barrel.db"), { readonly: true });
		const row: unknown = database
			.prepare("SELECT value FROM settings WHERE name = 'session_secret'")
			.pluck()
			.get();
		database.close();
		const secret = String(row);
		expect(secret).toMatch(/^[\w-]{43}$/);
		const shimSecret = createHmac("sha256", secret).update(`shim:${session.id}`).digest("base64url");
		return [secret, shimSecret, daemon.key, tokenOf(session)];
	};
	const expectAlive = async (): Promise<void> => {
		expect(await (await fetch(`${daemon.url}/healthz`)).json()).toMatchObject({ status: "ok" });
		expect(await cdp.evaluate("6 * 7", page)).toBe(42);
		const further = await connectCdp(session.connectUrl);
		expect(await further.send("Browser.getVersion")).toHaveProperty("product");
		await further.close();
	};

	describe("a session's processes", () => {
		test("have no capabilities on the host and cannot get any", async () => {
			const { pid, status } = await browserProcess(folder);
			expect(["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((field) => status(field))).toEqual(
				Array(5).fill("0000000000000000"),
			);
			expect(status("NoNewPrivs")).toBe("1");
			expect(status("Uid").split(/\s+/)).not.toContain("0");
			expect(status("Gid").split(/\s+/)).not.toContain("0");
			expect(status("Groups")).toMatch(/^(\d+)?$/);
			expect(status("Groups").split(/\s+/)).not.toContain("0");
			const all = processesOfSession(folder).filter(({ commandLine }) => !commandLine.includes("bwrap"));
			expect(all.length).toBeGreaterThan(4);
			for (const process of all)
				expect({ pid: process.pid, noNewPrivs: process.status("NoNewPrivs") }).toEqual({
					pid: process.pid,
					noNewPrivs: "1",
				});
			expect(all.map((process) => process.pid)).toContain(pid);
			expect(readFileSync("/proc/self/status", "utf8")).toMatch(/^NoNewPrivs:\s+0$/m);
		});

		test("keep their renderers behind a seccomp filter and in a further network namespace", async () => {
			const renderers = processesOfSession(folder).filter(({ commandLine }) =>
				commandLine.includes("--type=renderer"),
			);
			expect(renderers.length).toBeGreaterThan(0);
			const { pid: browser, status } = await browserProcess(folder);
			expect(status("Seccomp")).toBe("0");
			for (const { pid, status } of renderers) {
				expect(status("Seccomp")).toBe("2");
				expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(readlinkSync(`/proc/${browser}/ns/net`));
			}
		});

		test("share no namespace with the daemon, nor with another session", async () => {
			const other = await daemon.api.startRunning();
			const own = namespacesOf((await browserProcess(folder)).pid);
			const others = namespacesOf((await browserProcess(join(daemon.runDir, other.id))).pid);
			expect(new Set([...own, ...others, ...namespacesOf(daemon.pid)]).size).toBe(3 * NAMESPACES.length);
			expect(namespacesOf(daemon.pid)).toEqual(namespacesOf(process.pid));
			if (as === "root") {
				const uids = [folder, join(daemon.runDir, other.id)].map(async (path) =>
					(await browserProcess(path)).status("Uid"),
				);
				const [first, second] = await Promise.all(uids);
				expect(first).not.toBe(second);
			}
			await daemon.api.stop(other.id);
		});

		test("hold no descriptor of a host file or of a socket of the daemon", async () => {
			for (const { pid, commandLine } of processesOfSession(folder)) {
				if (!commandLine.includes("/home/browser/profile") && !commandLine.includes("--type=")) continue;
				const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
					try {
						return readlinkSync(`/proc/${pid}/fd/${fd}`);
					} catch {
						return "";
					}
				});
				expect(links.length).toBeGreaterThan(2);
				expect(links.filter((link) => link.includes(daemon.folder))).toEqual([]);
			}
		});
	});

	describe("secrets", () => {
		test("stand on no command line and in no environment", async () => {
			const added: { password: string } = JSON.parse(
				await daemon.cli("account", "add", "--email", "second@example.org", "--plan", "team", "--json"),
			);
			expect(added.password.length).toBeGreaterThan(8);
			const kept = [...secrets(), added.password];
			const shown = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], SHOWN: kept[0] } });
			await waitFor(() => processesShowing(kept).length > 0, "the scan finds what is there to find");
			expect(processesShowing(kept)).toEqual([`${shown.pid}/environ`]);
			const ended = new Promise((resolve) => shown.once("exit", resolve));
			shown.kill("SIGKILL");
			await ended;
			expect(processesShowing(kept)).toEqual([]);
		});

		test("are neither in the daemon's log nor in the browser's command line", async () => {
			await rawAnswer(port(), upgradeOf(session.id, tokenOf(session).slice(1)));
			const { arguments: given } = await cdp
				.send("Browser.getBrowserCommandLine")
				.catch(() => ({ arguments: "" }));
			const info = JSON.stringify([await cdp.send("SystemInfo.getInfo"), given]);
			expect(info).toContain("--proxy-server");
			expect(daemon.log()).toContain(session.id);
			for (const secret of secrets()) {
				expect(info).not.toContain(secret);
				expect(daemon.log()).not.toContain(secret);
			}
			for (const path of [daemon.folder, daemon.dataDir, daemon.runDir]) expect(info).not.toContain(path);
		});

		test("lie in files that only the daemon's user can read", () => {
			const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
			expect([daemon.dataDir, join(daemon.dataDir, "barrel.db"), folder].map(mode)).toEqual([
				"700",
				"600",
				"700",
			]);
		});
	});

	describe("CDP methods that reach out of the browser", () => {
		test("open no port on the host (Tethering.bind)", async () => {
			const taken = await freePort();
			await cdp.send("Tethering.bind", { port: taken }).catch(() => {});
			expect(await isReachable("127.0.0.1", canary.port)).toBe(true);
			expect(await isReachable("127.0.0.1", taken)).toBe(false);
			expect(await isReachable("127.0.0.1", 9222)).toBe(false);
			canary.visits.length = 0;
		});

		test("connect to no browser elsewhere (Target.setRemoteLocations)", async () => {
			await cdp.send("Target.setDiscoverTargets", { discover: true });
			const locations = [
				{ host: "127.0.0.1", port: canary.port },
				{ host: "localhost", port: port() },
			];
			await cdp.send("Target.setRemoteLocations", { locations }).catch(() => {});
			await cdp.visit("data:text/html,one", page);
			const { targetInfos } = await cdp.send("Target.getTargets");
			expect(JSON.stringify(targetInfos)).not.toContain("canary");
			expect(canary.visits).toEqual([]);
		});

		test("give a page no more than a client has (Target.exposeDevToolsProtocol)", async () => {
			const { targetInfo } = JSON.parse(JSON.stringify(await cdp.send("Target.getTargetInfo", {}, page)));
			await cdp.send("Target.exposeDevToolsProtocol", { targetId: targetInfo.targetId, bindingName: "cdp" });
			await cdp.visit("data:text/html,exposed", page);
			const ask = (method: string, params: object) =>
				cdp.evaluate(
					`new Promise((done) => { cdp.onmessage = (text) => JSON.parse(text).id === 1 && done(text); cdp.send(JSON.stringify({ id: 1, method: ${JSON.stringify(method)}, params: ${JSON.stringify(params)} })); })`,
					page,
				);
			expect(await ask("Target.getTargetInfo", {})).toContain('"type":"browser"');
			const open = async (path: string): Promise<string> => {
				const { result } = JSON.parse(String(await ask("Target.createTarget", { url: "about:blank" })));
				const attached = await cdp.send("Target.attachToTarget", {
					targetId: result.targetId,
					flatten: true,
				});
				return (await cdp.visit(`file://${path}`, String(attached["sessionId"]))).text;
			};
			expect(await open("/etc/fonts/fonts.conf")).toContain("fontconfig");
			expect(await open(`${daemon.folder}/config.toml`)).toContain("ERR_FILE_NOT_FOUND");
		});
	});

	describe("the sockets that the cage sees", () => {
		const connect = async (name: string): Promise<net.Socket> => {
			const socket = net.connect({ path: join(folder, "in", name) });
			socket.on("error", () => {});
			await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
			return socket;
		};
		const closed = (socket: net.Socket) => (socket.closed ? Promise.resolve() : once(socket, "close"));

		test("take no orders from a process that does not know the session's secret", async () => {
			const hello = (proof: string) => JSON.stringify({ type: "hello", version: 1, proof });
			const exited = JSON.stringify({ type: "exited", code: 0, signal: null, output: "" });
			const daemonsProof = createHmac("sha256", secrets()[1] ?? "")
				.update(`daemon:1:${session.id}`)
				.digest("base64url");
			for (const line of [
				exited,
				hello(""),
				hello("x".repeat(43)),
				hello(daemonsProof),
				"{}",
				"null",
				"[]",
				"not JSON",
				"y".repeat(200_000),
			]) {
				const socket = await connect("control.sock");
				let answer = "";
				socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
				socket.write(`${line}\n${exited}\n`);
				await closed(socket);
				expect(answer).toBe("");
			}
			expect((await daemon.api.read(session.id)).status).toBe("running");
			await expectAlive();
		});

		test("take a limited number of the daemon's descriptors", async () => {
			const before = openDescriptors(daemon.pid);
			const all = await Promise.all(Array.from({ length: 100 }, () => connect("control.sock")));
			await waitFor(() => all.filter((socket) => socket.closed).length > 90, "most of them are turned away");
			expect(openDescriptors(daemon.pid)).toBeLessThan(before + 20);
			for (const socket of all) socket.destroy();
			await expectAlive();
		});
	});
});

async function freePort(): Promise<number> {
	await using probe = await startCanary();
	return probe.port;
}
