/** How sessions end, as the clients that are connected to them see it, and what is left of them. */
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { connectCdp } from "../support/cdp.ts";
import { runAsChoices, sessionFolders, startTestDaemon } from "../support/daemon.ts";
import { createGatedBrowser } from "../support/gated-browser.ts";
import { connectMute } from "../support/mute-client.ts";
import { refusalOf } from "../support/refusal.ts";
import { waitFor } from "../support/wait-for.ts";

const PING_MS = 50_000;
const ping = Buffer.from([0x89, 0x00]);

const time = (text: string | null) => Date.parse(String(text));

const config = (...lines: string[]) => ["[sessions]", "spares = 0", ...lines].join("\n");

describe("idle_timeout", () => {
	test("ends a session that nobody has ever connected to as disconnect", async () => {
		await using daemon = await startTestDaemon({ config: config('idle_timeout = "2s"') });
		const session = await daemon.api.start();
		const ended = await daemon.api.until(session.id, "ended");
		expect(ended.endedReason).toBe("disconnect");
		expect(time(ended.endedAt) - time(ended.createdAt)).toBeGreaterThanOrEqual(2_000);
		expect(await refusalOf(session.connectUrl)).toEqual({
			http: 410,
			body: expect.stringContaining("The session has ended: disconnect."),
		});
	});

	test("is held off by a silent client, whose presence moves lastseen, and runs out once it has left", async () => {
		await using daemon = await startTestDaemon({ config: config('idle_timeout = "2s"') });
		const session = await daemon.api.start();
		const cdp = await connectCdp(session.connectUrl);
		const first = time((await daemon.api.read(session.id)).lastseen);
		await waitFor(
			async () => time((await daemon.api.read(session.id)).lastseen) > first + 4_000,
			"lastseen has moved twice as far as the idle timeout",
		);
		expect((await daemon.api.read(session.id)).status).toBe("running");
		await cdp.close();
		const ended = await daemon.api.until(session.id, "ended");
		expect(ended.endedReason).toBe("disconnect");
		expect(time(ended.endedAt) - time(ended.lastseen)).toBeGreaterThanOrEqual(2_000);
	});

	test("starts again with the last of several clients", async () => {
		await using daemon = await startTestDaemon({ config: config('idle_timeout = "2s"') });
		const session = await daemon.api.start();
		const [first, second] = [await connectCdp(session.connectUrl), await connectCdp(session.connectUrl)];
		const before = time((await daemon.api.read(session.id)).lastseen);
		await first.close();
		await waitFor(
			async () => time((await daemon.api.read(session.id)).lastseen) > before + 4_000,
			"the other client has kept the session alive",
		);
		await second.close();
		expect((await daemon.api.until(session.id, "ended")).endedReason).toBe("disconnect");
	});
});

test("silent clients are pinged, and nobody minds the answer or its absence", async () => {
	await using daemon = await startTestDaemon({ config: config() });
	const session = await daemon.api.start();
	const answering = await connectCdp(session.connectUrl);
	using mute = await connectMute(session.connectUrl);
	await Promise.all([once(answering.socket, "ping"), mute.untilReceived(ping, PING_MS)]);
	expect(await answering.evaluate("6 * 7", await answering.firstPage())).toBe(42);
	expect(mute.socket.destroyed).toBe(false);
	await daemon.api.stop(session.id);
	expect(await answering.closed).toEqual({ code: 4001, reason: "stopped" });
	await waitFor(() => mute.socket.destroyed, "a client that does not answer the close is cut off");
});

test("the end of the lifetime closes every open socket with 4002 timeout", async () => {
	await using daemon = await startTestDaemon({ config: config('lifetime = "4s"') });
	const session = await daemon.api.start();
	const clients = [await connectCdp(session.connectUrl), await connectCdp(session.connectUrl)];
	for (const { closed } of clients) expect(await closed).toEqual({ code: 4002, reason: "timeout" });
	const ended = await daemon.api.until(session.id, "ended");
	expect(ended.endedReason).toBe("timeout");
	expect(time(ended.endedAt)).toBeGreaterThanOrEqual(time(ended.expiresAt));
	expect(await refusalOf(session.connectUrl)).toEqual({
		http: 410,
		body: expect.stringContaining("timeout"),
	});
});

describe("while the session is starting", () => {
	const gatedConfig = (executable: string, ...lines: string[]) =>
		[
			config('isolation = "none"', ...lines),
			"[[images]]",
			'id = "chrome"',
			'name = "Gated"',
			`executable = "${executable}"`,
		].join("\n");

	test("a connection is held and goes through when the browser is ready", async () => {
		await using browser = await createGatedBrowser();
		await using daemon = await startTestDaemon({ config: gatedConfig(browser.executable) });
		const session = await daemon.api.start();
		const connecting = connectCdp(session.connectUrl);
		await waitFor(
			async () => (await daemon.api.read(session.id)).lastseen !== session.createdAt,
			"the client is held",
		);
		expect((await daemon.api.read(session.id)).status).toBe("starting");
		await browser.open();
		const cdp = await connecting;
		expect(await cdp.evaluate("6 * 7", await cdp.firstPage())).toBe(42);
		await daemon.api.stop(session.id);
		expect(await cdp.closed).toEqual({ code: 4001, reason: "stopped" });
	});

	test("a stop answers the clients that are held", async () => {
		await using browser = await createGatedBrowser();
		await using daemon = await startTestDaemon({ config: gatedConfig(browser.executable) });
		const session = await daemon.api.start();
		const held = [refusalOf(session.connectUrl), refusalOf(session.connectUrl)];
		await waitFor(
			async () => (await daemon.api.read(session.id)).lastseen !== session.createdAt,
			"a client is held",
		);
		await daemon.api.stop(session.id);
		const expected = { http: 410, body: expect.stringContaining("The session has ended: stopped.") };
		expect(await Promise.all(held)).toEqual([expected, expected]);
		await waitFor(() => sessionFolders(daemon.runDir).length === 0, "the folder is gone");
	});

	test("a restart of the daemon tells the clients that are held to come again", async () => {
		await using browser = await createGatedBrowser();
		await using daemon = await startTestDaemon({ config: gatedConfig(browser.executable) });
		const session = await daemon.api.start();
		const held = refusalOf(session.connectUrl);
		await waitFor(
			async () => (await daemon.api.read(session.id)).lastseen !== session.createdAt,
			"the client is held",
		);
		const ending = daemon.end("SIGTERM");
		expect(await held).toEqual({ http: 503, body: expect.stringContaining("connect again") });
		expect(await ending).toBe(0);
		await daemon.restart();
	});

	test("a browser that is not ready in time ends the session, and its clients hear of it", async () => {
		await using browser = await createGatedBrowser();
		await using daemon = await startTestDaemon({
			config: gatedConfig(browser.executable, 'start_timeout = "2s"'),
		});
		const session = await daemon.api.start();
		expect(await refusalOf(session.connectUrl)).toEqual({
			http: 410,
			body: expect.stringContaining("error"),
		});
		expect(await daemon.api.read(session.id)).toMatchObject({ status: "ended", endedReason: "error" });
	});

	test("clients that give up leave nothing behind", async () => {
		await using browser = await createGatedBrowser();
		await using daemon = await startTestDaemon({
			config: gatedConfig(browser.executable, 'idle_timeout = "1s"'),
		});
		const session = await daemon.api.start();
		const attempt = new AbortController();
		const given = fetch(session.connectUrl.replace(/^ws/, "http"), {
			headers: { connection: "Upgrade", upgrade: "websocket" },
			signal: attempt.signal,
		});
		await waitFor(
			async () => (await daemon.api.read(session.id)).lastseen !== session.createdAt,
			"the client is held",
		);
		attempt.abort();
		await expect(given).rejects.toBeDefined();
		await browser.open();
		expect((await daemon.api.until(session.id, "ended")).endedReason).toBe("disconnect");
	});
});

describe.each(runAsChoices)("a stop with the daemon run as %s", (as) => {
	test("closes every socket with 4001, and further connections are refused with 410", async () => {
		await using daemon = await startTestDaemon({ as, config: config() });
		const session = await daemon.api.start();
		const clients = [await connectCdp(session.connectUrl), await connectCdp(session.connectUrl)];
		await daemon.api.stop(session.id);
		for (const { closed } of clients) expect(await closed).toEqual({ code: 4001, reason: "stopped" });
		const refusal = await refusalOf(session.connectUrl);
		expect(refusal.http).toBe(410);
		expect(JSON.parse(refusal.body)).toEqual({
			status: "denied",
			message: "The session has ended: stopped.",
		});
		await waitFor(() => sessionFolders(daemon.runDir).length === 0, "the folder is gone");
	});
});
