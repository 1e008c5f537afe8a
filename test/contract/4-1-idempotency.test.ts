/** Spec 4.1 and 8: idempotencyKey. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";

const MINUTE_MS = 60_000;
const WINDOW_MS = 10 * MINUTE_MS;

async function start(user: User, body: object) {
	return await user.call("POST", "/web/sessions", body);
}

async function liveOf(user: User): Promise<unknown> {
	return (await user.call("GET", "/user/quota")).body["running_sessions_used"];
}

describe("the key", () => {
	let daemon: ContractDaemon;
	let user: User;

	beforeAll(async () => {
		daemon = await startContractDaemon();
		user = await daemon.addUser({ plan: "wide" });
	});

	afterAll(() => daemon[Symbol.asyncDispose]());

	test.each(["k", "k".repeat(128), "🦦".repeat(128), " ", "\u0000", "__proto__", "a:b"])(
		"may be %j",
		async (idempotencyKey) => {
			const first = await start(user, { idempotencyKey });
			expect(first.body["status"]).toBe("ok");
			expect(await start(user, { idempotencyKey })).toEqual(first);
		},
	);

	test.each(["", "k".repeat(129), "🦦".repeat(129), 7, null, true, ["k"], {}, "\ud83e"])(
		"may not be %j",
		async (idempotencyKey) => {
			expect((await start(user, { idempotencyKey })).body).toEqual({
				status: "denied",
				code: "invalid_arguments",
				message: expect.stringContaining("idempotencyKey"),
			});
		},
	);

	test("is taken literally: letters in another case, blanks and parts of it are other keys", async () => {
		const ids = [];
		for (const idempotencyKey of ["Key", "key", "key ", "ke", "kéy", "ke\u0301y"])
			ids.push((await start(user, { idempotencyKey })).body["id"]);
		expect(new Set(ids).size).toBe(6);
	});
});

test("the same key gives the first answer again, whatever else is asked for, and starts nothing", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const first = await start(user, { idempotencyKey: "k", name: "first" });
	await user.start();
	daemon.clock.advance(MINUTE_MS);
	expect(await start(user, { idempotencyKey: "k" })).toEqual(first);
	expect(await start(user, { idempotencyKey: "k", name: "other", image: "second" })).toEqual(first);
	expect(await liveOf(user)).toBe(2);
	expect(daemon.host.opened()).toHaveLength(2);
});

test("the first answer is given again when every slot is taken, and when its session has ended", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const first = await start(user, { idempotencyKey: "k" });
	await user.start();
	await user.start();
	expect(await start(user, { idempotencyKey: "k" })).toEqual(first);
	await user.call("DELETE", `/web/sessions/${String(first.body["id"])}`);
	expect(await start(user, { idempotencyKey: "k" })).toEqual(first);
	expect(await liveOf(user)).toBe(2);
});

test("the key is good for 10 minutes from the first answer, repeated or not", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const first = await start(user, { idempotencyKey: "k" });
	daemon.clock.advance(WINDOW_MS / 2);
	daemon.tick();
	expect(await start(user, { idempotencyKey: "k" })).toEqual(first);
	daemon.clock.advance(WINDOW_MS / 2 - 1);
	expect(await start(user, { idempotencyKey: "k" })).toEqual(first);
	daemon.clock.advance(1);
	const second = await start(user, { idempotencyKey: "k" });
	expect(second.body).toMatchObject({ status: "ok" });
	expect(second.body["id"]).not.toBe(first.body["id"]);
	expect(await start(user, { idempotencyKey: "k" })).toEqual(second);
});

test("the key belongs to the app key: another one of the same account, or a foreign one, starts anew", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const others = [user.withAnotherKey(), await daemon.addUser()];
	const ids = [];
	for (const someone of [user, ...others])
		ids.push((await start(someone, { idempotencyKey: "k" })).body["id"]);
	expect(new Set(ids).size).toBe(3);
});

test("calls at the same moment share one start and one answer", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "full" });
	// The proxy's host has to be looked up: the others come while the first one waits.
	const body = { idempotencyKey: "k", proxy: "http://slow.example:8080" };
	const answers = await Promise.all(Array.from({ length: 20 }, () => start(user, body)));
	expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
	expect(answers[0]?.body["status"]).toBe("ok");
	expect(await liveOf(user)).toBe(1);
});

test.each([
	["a wrong field", { name: "" }, {}],
	["an unknown image", { image: "netscape" }, {}],
	["a private proxy", { proxy: "http://10.0.0.1:80" }, { proxy: "http://proxy.example:80" }],
])("a refusal for %s is not kept: a retry really retries", async (_, wrong, right) => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "full" });
	const refused = await start(user, { ...wrong, idempotencyKey: "k" });
	expect(refused.body["status"]).toBe("denied");
	expect((await start(user, { ...right, idempotencyKey: "k" })).body["status"]).toBe("ok");
});

test("a refusal for want of a slot is not kept: a retry after a stop starts", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const ids = [await user.start(), await user.start(), await user.start()];
	expect((await start(user, { idempotencyKey: "k" })).body["code"]).toBe("quota_exceeded");
	await user.call("DELETE", `/web/sessions/${ids[0]}`);
	expect((await start(user, { idempotencyKey: "k" })).body["status"]).toBe("ok");
});

test("a repeated call counts for no rate and no cycle", async () => {
	await using daemon = await startContractDaemon({ starts: { perMinute: 1, perHour: 9, perDay: 9 } });
	const user = await daemon.addUser({ plan: "five" });
	const first = await start(user, { idempotencyKey: "k" });
	for (let round = 0; round < 9; round++) expect(await start(user, { idempotencyKey: "k" })).toEqual(first);
	expect((await user.call("GET", "/user/quota")).body["cycle_sessions_used"]).toBe(1);
});

test("the first answer is given again by a daemon that came later on the same database", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "barrel-idempotency-"));
	const publicUrl = "https://browsers.example";
	try {
		const killed = await startContractDaemon({ dataDir, publicUrl });
		const before = await killed.addUser();
		const id = await before.startRunning({ idempotencyKey: "k", name: "survivor" });
		const first = await start(before, { idempotencyKey: "k" });
		expect(first.body["id"]).toBe(id);
		await killed.kill();
		killed.clock.advance(WINDOW_MS - 1);
		await using daemon = await startContractDaemon({ dataDir, publicUrl, clock: killed.clock });
		const user = daemon.userAgain(before);
		expect((await start(user, { idempotencyKey: "k" })).text).toBe(first.text);
		expect(await liveOf(user)).toBe(0);
		daemon.clock.advance(1);
		expect((await start(user, { idempotencyKey: "k" })).body["id"]).not.toBe(id);
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
});
