/** What becomes of sessions and their clients when the daemon, a shim or a cage ends. */
import { describe, expect, test } from "vitest";
import { type CdpConnection, connectCdp } from "../support/cdp.ts";
import {
	processesNaming,
	runAsChoices,
	sessionFolders,
	startTestDaemon,
	type TestDaemon,
	type TestDaemonOptions,
} from "../support/daemon.ts";
import { descendantsOf, type ProcessInfo, stillRunning } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

const GONE_MS = 30_000;

/** A daemon with one session per slot and a client on each. */
async function startFull(options: TestDaemonOptions & { sessions?: number }) {
	const daemon = await startTestDaemon({ config: "[sessions]\nspares = 0", ...options });
	const ids: string[] = [];
	const clients: CdpConnection[] = [];
	for (let i = 0; i < (options.sessions ?? 3); i++) {
		const session = await daemon.api.start();
		ids.push(session.id);
		clients.push(await connectCdp(session.connectUrl));
	}
	return { daemon, ids, clients, processes: descendantsOf(daemon.pid) };
}

const untilGone = (processes: readonly ProcessInfo[]) =>
	waitFor(() => stillRunning(processes).length === 0, "every process of the sessions is gone", GONE_MS);

async function expectLost(daemon: TestDaemon, ids: readonly string[]): Promise<void> {
	for (const id of ids)
		expect(await daemon.api.read(id)).toMatchObject({
			status: "ended",
			endedReason: "lost",
			connectUrl: null,
		});
	expect(sessionFolders(daemon.runDir)).toEqual([]);
	expect(processesNaming(daemon.runDir)).toEqual([]);
	const { id, quota, connectUrl } = await daemon.api.start();
	expect(quota).toMatchObject({ running_sessions_used: 1 });
	const cdp = await connectCdp(connectUrl);
	expect(await cdp.evaluate("6 * 7", await cdp.firstPage())).toBe(42);
	await daemon.api.stop(id);
}

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	test("SIGINT ends every session, tells the clients so and leaves nothing", async () => {
		const { daemon, clients, processes } = await startFull({ as });
		await using _ = daemon;
		expect(processes.length).toBeGreaterThan(clients.length * 4);
		expect(await daemon.end("SIGINT")).toBe(0);
		for (const { closed } of clients) expect(await closed).toEqual({ code: 4001, reason: "stopped" });
		expect(sessionFolders(daemon.runDir)).toEqual([]);
		expect(processesNaming(daemon.runDir)).toEqual([]);
		await untilGone(processes);
	});

	test("SIGINT ends a session that is still starting", async () => {
		const { daemon } = await startFull({ as, sessions: 0 });
		await using _ = daemon;
		await daemon.api.start();
		expect(await daemon.end("SIGINT")).toBe(0);
		expect(processesNaming(daemon.runDir)).toEqual([]);
		expect(sessionFolders(daemon.runDir)).toEqual([]);
	});

	test("SIGTERM closes sockets with 1012 and leaves browsers; the next daemon clears them up as lost", async () => {
		const { daemon, clients, processes, ids } = await startFull({ as });
		await using _ = daemon;
		expect(await daemon.end("SIGTERM")).toBe(0);
		for (const { closed } of clients) expect(await closed).toEqual({ code: 1012, reason: "restart" });
		expect(stillRunning(processes).length).toBe(processes.length);
		await daemon.restart();
		await untilGone(processes);
		await expectLost(daemon, ids);
	});

	test("after a kill -9 the next daemon has lost the sessions and clears up behind them", async () => {
		const { daemon, clients, processes, ids } = await startFull({ as });
		await using _ = daemon;
		expect(await daemon.end("SIGKILL")).toBe(null);
		for (const { closed } of clients) expect((await closed).code).toBe(1006);
		await daemon.restart();
		await untilGone(processes);
		await expectLost(daemon, ids);
	});

	test("after a kill -9 without a next daemon browsers end by themselves", async () => {
		const config = '[sessions]\nspares = 0\norphan_timeout = "2s"';
		const { daemon, processes, ids } = await startFull({ as, config, sessions: 2 });
		await using _ = daemon;
		await daemon.end("SIGKILL");
		expect(stillRunning(processes).length).toBe(processes.length);
		await untilGone(processes);
		await daemon.restart();
		await expectLost(daemon, ids);
	});

	test.each([
		{ victim: "shim", isVictim: ({ commandLine }: ProcessInfo) => commandLine === "/opt/barrel/barrel shim" },
		{
			victim: "cage",
			isVictim: ({ commandLine, parent }: ProcessInfo, daemonPid: number) =>
				commandLine.startsWith("bwrap ") && parent === daemonPid,
		},
		{
			victim: "browser",
			isVictim: ({ commandLine }: ProcessInfo) =>
				/remote-debugging-port/.test(commandLine) && !/--type=/.test(commandLine),
		},
	])("a kill -9 of the $victim ends the session as error and spares the others", async ({ isVictim }) => {
		const {
			daemon,
			clients: [first],
			processes,
			ids,
		} = await startFull({ as, sessions: 1 });
		await using _ = daemon;
		const other = await daemon.api.start();
		const otherClient = await connectCdp(other.connectUrl);
		const [victim] = processes.filter((info) => isVictim(info, daemon.pid));
		process.kill(victim?.pid ?? Number.NaN, "SIGKILL");
		expect(await first?.closed).toEqual({ code: 4005, reason: "error" });
		expect(await daemon.api.read(ids[0] ?? "")).toMatchObject({ status: "ended", endedReason: "error" });
		await untilGone(processes);
		await waitFor(() => sessionFolders(daemon.runDir).length === 1, "the folder is gone");
		expect(await otherClient.evaluate("6 * 7", await otherClient.firstPage())).toBe(42);
		await daemon.api.stop(other.id);
	});

	test.each([
		{ victim: "shim", isVictim: /^\/opt\/barrel\/barrel shim$/ },
		{ victim: "browser", isVictim: /^(?!.*--type=).*--remote-debugging-port/ },
	])("a client that is sending when the $victim is killed hears why", async ({ isVictim }) => {
		await using daemon = await startTestDaemon({ as, config: "[sessions]\nspares = 0" });
		const session = await daemon.api.start();
		const cdp = await connectCdp(session.connectUrl);
		const page = await cdp.firstPage();
		const request = `"${"x".repeat(20 * 1024 * 1024)}".length`;
		const answers = Promise.allSettled([request, request, request].map((text) => cdp.evaluate(text, page)));
		const victim = descendantsOf(daemon.pid).find(({ commandLine }) => isVictim.test(commandLine));
		const all = 3 * request.length;
		await waitFor(() => cdp.socket.bufferedAmount < all - request.length / 4, "the client is sending");
		expect(cdp.socket.bufferedAmount).toBeGreaterThan(request.length);
		process.kill(victim?.pid ?? Number.NaN, "SIGKILL");
		expect(await cdp.closed).toEqual({ code: 4005, reason: "error" });
		await answers;
	});
});
