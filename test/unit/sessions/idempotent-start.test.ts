import { describe, expect, test } from "vitest";
import { startedView } from "../../../src/api/session-view.ts";
import { IDEMPOTENCY_MS } from "../../../src/sessions/idempotency.ts";
import { SessionTokens } from "../../../src/sessions/session-token.ts";
import type { Start } from "../../../src/sessions/starter.ts";
import { ManagerFixture } from "./manager.ts";
import { ada, aPlan, bob, refusalFrom, StarterFixture, team } from "./starter-fixture.ts";

const idempotencyKey = "once";
const view = { publicUrl: "https://barrel.example", tokens: new SessionTokens("a secret") };

/** What the caller is answered. */
const answer = ({ session, quota }: Start): object => startedView(session, quota, view);

describe("a repeated start", () => {
	test("gets the first answer again, and starts nothing", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const first = await fixture.start(caller, { idempotencyKey, name: "first", country: "de" });
		await fixture.start(ada);
		fixture.clock.advance(1_000);
		const second = await fixture.start(caller, { idempotencyKey, name: "second", image: "edge" });
		expect(answer(second)).toEqual(answer(first));
		expect(second.quota).toEqual({ limit: 3, used: 1, remaining: 2 });
		expect(first.run).toBeDefined();
		expect(second.run).toBeUndefined();
		expect(fixture.store.live()).toHaveLength(2);
	});

	test("gets the first answer also when every slot is taken, or the session has ended", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const first = await fixture.start(caller, { idempotencyKey });
		for (let count = 0; count < 2; count++) await fixture.start();
		expect(answer(await fixture.start(caller, { idempotencyKey }))).toEqual(answer(first));
		fixture.end(first.session.id);
		expect(answer(await fixture.start(caller, { idempotencyKey }))).toEqual(answer(first));
		expect(fixture.store.live()).toHaveLength(2);
	});

	test("gets the first answer also when the plan is gone", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const first = await fixture.start(caller, { idempotencyKey });
		fixture.unsubscribe();
		expect(answer(await fixture.start(caller, { idempotencyKey }))).toEqual(answer(first));
	});

	test("does not count toward the start rate", async () => {
		using fixture = new StarterFixture({ starts: { perMinute: 2, perHour: 10, perDay: 10 } });
		const caller = fixture.withKey();
		for (let count = 0; count < 5; count++) await fixture.start(caller, { idempotencyKey });
		await fixture.start(caller);
		expect(await fixture.refused(caller)).toMatchObject({ key: "start-rate" });
		expect((await fixture.start(caller, { idempotencyKey })).run).toBeUndefined();
	});

	test("is refused all the same when its body cannot be used", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		await fixture.start(caller, { idempotencyKey });
		expect(await fixture.refused(caller, { idempotencyKey, name: "" })).toMatchObject({
			key: "name-invalid",
		});
	});

	test("starts anew after exactly 10 minutes, which count from the first start", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const { session: first } = await fixture.start(caller, { idempotencyKey });
		fixture.clock.advance(9 * 60_000);
		expect((await fixture.start(caller, { idempotencyKey })).session.id).toBe(first.id);
		fixture.clock.advance(60_000 - 1);
		expect((await fixture.start(caller, { idempotencyKey })).session.id).toBe(first.id);
		fixture.clock.advance(1);
		const anew = await fixture.start(caller, { idempotencyKey });
		expect(anew.session.id).not.toBe(first.id);
		expect(anew.quota.used).toBe(2);
		fixture.clock.advance(IDEMPOTENCY_MS - 1);
		expect((await fixture.start(caller, { idempotencyKey })).session.id).toBe(anew.session.id);
	});

	test("gets the first answer after a restart", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const first = await fixture.start(caller, { idempotencyKey });
		const second = await fixture.another().start(caller, { idempotencyKey });
		expect(answer(second)).toEqual(answer(first));
		expect(second.run).toBeUndefined();
	});
});

describe("a start of its own", () => {
	test.each([
		["another text", "Once"],
		["the same text and a blank", "once "],
		["letters that only look the same", "оnce"],
	])("is what %s as key gives", async (_, other) => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const first = await fixture.start(caller, { idempotencyKey });
		expect((await fixture.start(caller, { idempotencyKey: other })).session.id).not.toBe(first.session.id);
	});

	test("is what the same key gives with another app key, of the same account or of another", async () => {
		using fixture = new StarterFixture();
		const callers = [fixture.withKey(ada), fixture.withKey(ada), fixture.withKey(bob)];
		const starts = [];
		for (const caller of callers) starts.push(await fixture.start(caller, { idempotencyKey }));
		expect(new Set(starts.map(({ session }) => session.id)).size).toBe(3);
		expect(starts.map(({ session }) => session.accountId)).toEqual([1, 1, 2]);
	});

	test("is what the same key gives by hand, each time", async () => {
		using fixture = new StarterFixture();
		const byHand = { ...ada, startedByKind: "app" } as const;
		const [first, second] = [
			await fixture.start(byHand, { idempotencyKey }),
			await fixture.start(byHand, { idempotencyKey }),
		];
		expect(first.session.id).not.toBe(second.session.id);
		expect(second.session).toMatchObject({ startedByKind: "app", appKeyId: null });
	});
});

describe("two starts at the same moment", () => {
	const proxied = { idempotencyKey, proxy: "http://proxy.example:8080" };

	test("with the same key start one session, and get the same answer", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const starts = await Promise.all([1, 2, 3].map(() => fixture.start(caller, { idempotencyKey })));
		expect(starts.map(({ run }) => run !== undefined)).toEqual([true, false, false]);
		expect(new Set(starts.map((start) => JSON.stringify(answer(start)))).size).toBe(1);
		expect(fixture.store.live()).toHaveLength(1);
	});

	test("with the same key share one start while its proxy is looked at", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const resolving = Promise.withResolvers<void>();
		fixture.resolving = resolving.promise;
		const first = fixture.start(caller, proxied);
		await Bun.sleep(1);
		const second = fixture.start(caller, proxied);
		resolving.resolve();
		expect(answer(await second)).toEqual(answer(await first));
		expect(fixture.store.live()).toHaveLength(1);
	});

	test("with the same key of two app keys start two", async () => {
		using fixture = new StarterFixture();
		const callers = [fixture.withKey(), fixture.withKey()];
		await Promise.all(callers.map((caller) => fixture.start(caller, { idempotencyKey })));
		expect(fixture.store.live()).toHaveLength(2);
	});

	test("get the same refusal, which is not kept: the next one really starts", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const full = await Promise.all([1, 2, 3].map(() => fixture.start()));
		const [first, second] = await Promise.all(
			[1, 2].map(() => refusalFrom(fixture.start(caller, { idempotencyKey }))),
		);
		expect(first).toMatchObject({ key: "slots-full", code: "quota_exceeded" });
		expect(second).toBe(first);
		fixture.end(full[0]?.session.id ?? "");
		expect((await fixture.start(caller, { idempotencyKey })).run).toBeDefined();
	});

	test("that are refused for their proxy may be repeated with another", async () => {
		using fixture = new StarterFixture();
		const caller = fixture.withKey();
		const inside = { idempotencyKey, proxy: "http://inside.example:8080" };
		const both = [fixture.start(caller, inside), fixture.start(caller, proxied)];
		for (const start of both) expect(await refusalFrom(start)).toMatchObject({ key: "proxy-private" });
		expect((await fixture.start(caller, proxied)).session.exitKind).toBe("own_proxy");
	});
});

describe("the browser of a start that is repeated", () => {
	test("is started once", async () => {
		await using fixture = new ManagerFixture();
		const caller = fixture.starts.withKey();
		const ids = await Promise.all([1, 2, 3].map(() => fixture.start(caller, { idempotencyKey })));
		ids.push(await fixture.start(caller, { idempotencyKey }));
		expect(new Set(ids).size).toBe(1);
		expect(fixture.host.opened()).toHaveLength(1);
	});

	test("is gone when whoever repeats it stops the session at once", async () => {
		await using fixture = new ManagerFixture();
		const caller = fixture.starts.withKey();
		const [{ session }] = await Promise.all([
			fixture.manager.start(caller, { idempotencyKey }),
			fixture.manager
				.start(caller, { idempotencyKey })
				.then((repeated) => fixture.manager.stop(ada.accountId, repeated.session.id)),
		]);
		expect(fixture.stateOf(session.id)).toBe("stopped");
		await fixture.manager.settled();
		expect(fixture.host.remaining()).toEqual([]);
	});

	test("can be waited for by whoever repeats it", async () => {
		await using fixture = new ManagerFixture();
		const caller = fixture.starts.withKey();
		const first = fixture.manager.start(caller, { idempotencyKey });
		const cdp = fixture.manager.start(caller, { idempotencyKey }).then(async ({ session }) => {
			using attachment = fixture.attach(session.id);
			return await attachment.cdp;
		});
		const { session } = await first;
		const browser = await fixture.host.browserOf(session.id);
		browser.becomeReady();
		expect(await cdp).toEqual(fixture.host.cdp);
	});
});

test("what was kept goes with the session's account", async () => {
	using fixture = new StarterFixture({ plans: [team, aPlan("other")] });
	const caller = fixture.withKey();
	const { session } = await fixture.start(caller, { idempotencyKey });
	fixture.end(session.id);
	fixture.accounts.remove("1@example.org");
	expect(
		fixture.idempotentStarts.find({ ...caller, key: idempotencyKey }, fixture.clock.now()),
	).toBeUndefined();
});

test("what nobody can ask for any more is forgotten, and nothing else", async () => {
	using fixture = new StarterFixture();
	const caller = fixture.withKey();
	const { idempotentStarts, clock } = fixture;
	const began = clock.now();
	await fixture.start(caller, { idempotencyKey: "old" });
	clock.advance(1);
	await fixture.start(caller, { idempotencyKey: "new" });
	clock.advance(IDEMPOTENCY_MS - 1);
	idempotentStarts.purge(clock.now());
	// As the clock would find them if it were set back.
	expect(idempotentStarts.find({ ...caller, key: "old" }, began)).toBeUndefined();
	expect(idempotentStarts.find({ ...caller, key: "new" }, began)).toBeDefined();
});
