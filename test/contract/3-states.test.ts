/** Spec 3: states and transitions, as a client that polls sees them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ContractDaemon, objectIn, startContractDaemon, type User } from "../support/contract-daemon.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Seen = { status: unknown; endedReason: unknown; hasConnectUrl: boolean };

async function read(user: User, id: string): Promise<Record<string, unknown>> {
	return objectIn((await user.call("GET", `/web/sessions/${id}`)).body, "data");
}

/** A client on the session, until it is disposed of. */
function attached(daemon: ContractDaemon, id: string, connectUrl: string): Disposable {
	const token = new URL(connectUrl).searchParams.get("token") ?? "";
	const result = daemon.sessions.attach(id, token);
	if (result.kind !== "attached") throw new Error(result.kind);
	return result.attachment;
}

async function seen(user: User, id: string): Promise<Seen> {
	const { status, endedReason, connectUrl } = await read(user, id);
	return { status, endedReason, hasConnectUrl: connectUrl !== null };
}

const live = (status: string): Seen => ({ status, endedReason: null, hasConnectUrl: true });
const ended = (endedReason: string): Seen => ({ status: "ended", endedReason, hasConnectUrl: false });

async function freeSlots(user: User): Promise<number> {
	const { body } = await user.call("POST", "/web/sessions", {});
	if (body["status"] !== "ok") return 0;
	await user.call("DELETE", `/web/sessions/${String(body["id"])}`);
	return Number(objectIn(body, "quota")["running_sessions_remaining"]) + 1;
}

async function withDaemon(work: (daemon: ContractDaemon, user: User) => Promise<void>): Promise<void> {
	await using daemon = await startContractDaemon();
	await work(daemon, await daemon.addUser());
}

test("a start answers while the browser is starting, and takes a slot", () =>
	withDaemon(async (_daemon, user) => {
		const id = await user.start();
		expect(await seen(user, id)).toEqual(live("starting"));
		expect(await freeSlots(user)).toBe(2);
	}));

test("a starting session is running once its browser is ready", () =>
	withDaemon(async (_daemon, user) => {
		expect(await seen(user, await user.startRunning())).toEqual(live("running"));
	}));

describe("DELETE", () => {
	test.each(["starting", "running"])("ends a %s session as stopped", (state) =>
		withDaemon(async (daemon, user) => {
			const id = state === "starting" ? await user.start() : await user.startRunning();
			expect((await user.call("DELETE", `/web/sessions/${id}`)).body).toEqual({ status: "ok" });
			expect(await seen(user, id)).toEqual(ended("stopped"));
			await daemon.sessions.settled();
			expect(daemon.host.remaining()).toEqual([]);
		}),
	);

	test("frees the slot immediately, while the browser is still being removed", () =>
		withDaemon(async (daemon, user) => {
			const ids = [await user.startRunning(), await user.startRunning(), await user.startRunning()];
			const removal = Promise.withResolvers<void>();
			daemon.host.removal = () => removal.promise;
			expect(await freeSlots(user)).toBe(0);
			await user.call("DELETE", `/web/sessions/${ids[0]}`);
			const free = await freeSlots(user);
			const left = daemon.host.remaining();
			removal.resolve();
			expect(free).toBe(1);
			expect(left).toContain(ids[0]);
		}));

	test("of a session that has ended answers ok and keeps the earlier reason", () =>
		withDaemon(async (daemon, user) => {
			const id = await user.startRunning();
			daemon.host.get(id).exit("failed");
			await expect.poll(() => seen(user, id)).toEqual(ended("error"));
			const before = (await user.call("GET", `/web/sessions/${id}`)).body;
			daemon.clock.advance(MINUTE_MS);
			expect((await user.call("DELETE", `/web/sessions/${id}`)).body).toEqual({ status: "ok" });
			expect((await user.call("GET", `/web/sessions/${id}`)).body).toEqual(before);
		}));

	test("ends sessions that were started by hand", () =>
		withDaemon(async (_daemon, user) => {
			const id = await user.startByHand();
			expect((await user.call("DELETE", `/web/sessions/${id}`)).body).toEqual({ status: "ok" });
			expect(await seen(user, id)).toEqual(ended("stopped"));
		}));
});

test("a session ends as disconnect 5 minutes after its last client, which frees the slot", () =>
	withDaemon(async (daemon, user) => {
		const id = await user.startRunning();
		daemon.clock.advance(5 * MINUTE_MS - 1);
		daemon.tick();
		expect(await seen(user, id)).toEqual(live("running"));
		daemon.clock.advance(1);
		daemon.tick();
		expect(await seen(user, id)).toEqual(ended("disconnect"));
		expect(await freeSlots(user)).toBe(3);
	}));

test("a session ends as timeout 18 hours after its start, at its expiresAt, which frees the slot", () =>
	withDaemon(async (daemon, user) => {
		const { body } = await user.call("POST", "/web/sessions", {});
		const id = String(body["id"]);
		const browser = await daemon.host.browserOf(id);
		browser.becomeReady();
		await expect.poll(() => seen(user, id)).toEqual(live("running"));
		using _attachment = attached(daemon, id, String(body["connectUrl"]));
		daemon.clock.advance(18 * HOUR_MS - 1);
		daemon.tick();
		expect(await seen(user, id)).toEqual(live("running"));
		daemon.clock.advance(1);
		daemon.tick();
		const { data } = (await user.call("GET", `/web/sessions/${id}`)).body;
		expect(data).toMatchObject({ endedReason: "timeout", endedAt: "2026-03-02T06:00:00.000Z" });
		expect(data).toMatchObject({ expiresAt: "2026-03-02T06:00:00.000Z" });
		expect(await freeSlots(user)).toBe(3);
	}));

describe("a browser that fails", () => {
	test("while it starts ends the session as error", () =>
		withDaemon(async (daemon, user) => {
			const id = await user.start();
			const browser = await daemon.host.browserOf(id);
			browser.failToStart("exit code 1");
			await expect.poll(() => seen(user, id)).toEqual(ended("error"));
			expect(await freeSlots(user)).toBe(3);
		}));

	test("while it runs ends the session as error", () =>
		withDaemon(async (daemon, user) => {
			const id = await user.startRunning();
			daemon.host.get(id).exit("failed", "signal SIGKILL");
			await expect.poll(() => seen(user, id)).toEqual(ended("error"));
		}));

	test("tells its clients nothing of the cause", () =>
		withDaemon(async (daemon, user) => {
			const id = await user.startRunning();
			daemon.host.get(id).exit("failed", "SIGKILL in /run/barrel/x");
			await expect.poll(() => seen(user, id)).toEqual(ended("error"));
			expect((await user.call("GET", `/web/sessions/${id}`)).text).not.toMatch(/SIGKILL|\/run\//);
		}));
});

test("sessions end as runtime once the allowance of their plan is used up, whoever uses them", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "hour" });
	const [starting, running, byHand] = [
		await user.start(),
		await user.startRunning(),
		await user.startByHand(),
	];
	using _attachment = attached(daemon, running, String((await read(user, running))["connectUrl"]));
	daemon.clock.advance(20 * MINUTE_MS - 1);
	daemon.tick();
	for (const id of [starting, running, byHand])
		expect(await seen(user, id)).toMatchObject({ endedReason: null });
	daemon.clock.advance(1);
	daemon.tick();
	for (const id of [starting, running, byHand]) expect(await seen(user, id)).toEqual(ended("runtime"));
	expect((await user.call("GET", "/user/quota")).body["running_sessions_used"]).toBe(0);
});

test("a session whose machine has gone away is ended as lost by the daemon that comes next", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "barrel-lost-"));
	try {
		const killed = await startContractDaemon({ dataDir });
		const before = await killed.addUser();
		const ids = [await before.startRunning(), await before.startRunning()];
		await killed.kill();
		await using daemon = await startContractDaemon({ dataDir, clock: killed.clock });
		const user = daemon.userAgain(before);
		for (const id of ids) expect(await seen(user, id)).toEqual(ended("lost"));
		expect(await freeSlots(user)).toBe(3);
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
});

test("a session whose browser is closed by its client ends as stopped", () =>
	withDaemon(async (daemon, user) => {
		const id = await user.startRunning();
		daemon.host.get(id).exit("clean");
		await expect.poll(() => seen(user, id)).toEqual(ended("stopped"));
	}));
