import { describe, expect, test } from "vitest";
import { admit } from "../../../src/sessions/admission.ts";
import { dueEvent } from "../../../src/sessions/reaper.ts";
import { SessionStore } from "../../../src/sessions/session-store.ts";
import { refusalOf } from "../../support/refusal-of.ts";
import {
	aPlan,
	CYCLE_END,
	CYCLE_START,
	DAY_MS,
	HOUR_MS,
	MB,
	MINUTE_MS,
	NOW,
	pack,
	SECOND_MS,
	type SessionRow,
	team,
	UsageFixture,
} from "./usage-fixture.ts";

const hour = aPlan("hour", { runtimeMinutes: 60, cycleSessionLimit: 4, residentialMb: 100 });
const basic = aPlan("basic", { features: ["programmatic_access"] });
const half = aPlan("half", { residentialMb: 0.5 });
const plans = [hour, team, pack, basic, half];

describe("the allowance of a subscription", () => {
	const none: SessionRow[] = [];

	test.each([
		{ name: "unused", rows: none, runtime: HOUR_MS, sessions: 4 },
		{
			name: "with a live session",
			rows: [{ from: NOW - 20 * MINUTE_MS }],
			runtime: 40 * MINUTE_MS,
			sessions: 3,
		},
		{
			name: "with sessions at the same time",
			rows: [{ from: NOW - 20 * MINUTE_MS }, { from: NOW - 20 * MINUTE_MS, kind: "app" as const }],
			runtime: 20 * MINUTE_MS,
			sessions: 2,
		},
		{
			name: "with one that began in the cycle before",
			rows: [{ from: CYCLE_START - 2 * HOUR_MS, to: CYCLE_START + 10 * MINUTE_MS }],
			runtime: 50 * MINUTE_MS,
			sessions: 4,
		},
		{
			name: "with one of the cycle before",
			rows: [{ from: CYCLE_START - HOUR_MS, to: CYCLE_START }],
			runtime: HOUR_MS,
			sessions: 4,
		},
		{ name: "used up exactly", rows: [{ from: NOW - HOUR_MS, to: NOW }], runtime: 0, sessions: 3 },
		{ name: "overdrawn", rows: [{ from: NOW - 5 * HOUR_MS }], runtime: 0, sessions: 3 },
	])("$name", ({ rows, runtime, sessions }) => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(hour);
		const another = fixture.subscribe(hour);
		fixture.session({ subscriptionId: another, from: NOW - 30 * MINUTE_MS });
		for (const row of rows) fixture.session({ ...row, subscriptionId });
		const allowance = fixture.allowances.allowanceOf(fixture.subscription(subscriptionId), NOW);
		expect(allowance).toEqual({ sessionsLeft: sessions, runtimeLeftMs: runtime });
	});

	test("is unlimited when the plan has no figures", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(team);
		fixture.session({ subscriptionId, from: CYCLE_START });
		expect(fixture.allowances.allowanceOf(fixture.subscription(subscriptionId), NOW)).toEqual({
			sessionsLeft: null,
			runtimeLeftMs: null,
		});
	});

	test.each([
		{ name: "runtime", rows: [{ from: NOW - HOUR_MS, to: NOW }], key: "runtime-used" },
		{ name: "sessions", rows: [1, 2, 3, 4].map(() => ({ from: NOW, to: NOW })), key: "cycle-sessions-used" },
	])("refuses a start when all $name are used, and none in the next cycle", ({ rows, key }) => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(hour);
		for (const row of rows) fixture.session({ ...row, subscriptionId });
		const start = (now: number) =>
			admit({
				subscriptions: fixture.accounts.activeSubscriptions(1, now),
				live: [],
				features: [],
				allowanceOf: (subscription) => fixture.allowances.allowanceOf(subscription, now),
				residentialBytesLeft: () => null,
			}).id;
		expect(refusalOf(() => start(CYCLE_END - 1))).toMatchObject({
			status: "denied",
			code: "quota_exceeded",
			key,
		});
		expect(start(CYCLE_END)).toBe(subscriptionId);
	});
});

describe("residential bytes left", () => {
	test.each([
		{ name: "with a limit", subscribed: [hour], left: 60 * MB },
		{ name: "with a data pack", subscribed: [hour, pack], left: 560 * MB },
		{ name: "without a limit", subscribed: [team], left: null },
		{ name: "used up", subscribed: [half], left: 0 },
		{ name: "without the feature", subscribed: [basic], left: 0 },
		{ name: "of a data pack for a plan without the feature", subscribed: [basic, pack], left: 460 * MB },
		{ name: "without a plan", subscribed: [], left: 0 },
	])("$name: $left", ({ subscribed, left }) => {
		using fixture = new UsageFixture(plans);
		for (const plan of subscribed) fixture.subscribe(plan);
		fixture.moved(fixture.session({ from: CYCLE_START }), NOW - 12 * HOUR_MS, 40 * MB);
		expect(fixture.allowances.residentialBytesLeft(1, NOW)).toBe(left);
	});

	test("are whole bytes, and all there again in the next cycle", () => {
		using fixture = new UsageFixture([aPlan("odd", { residentialMb: 0.3 })]);
		fixture.subscribe(aPlan("odd"));
		fixture.moved(fixture.session({ from: CYCLE_START }), CYCLE_START, 572);
		expect(fixture.allowances.residentialBytesLeft(1, CYCLE_END - 1)).toBe(314_000);
		expect(fixture.allowances.residentialBytesLeft(1, CYCLE_END)).toBe(314_572);
	});
});

describe("the end of the runtime", () => {
	test.each([
		{ name: "one session", live: 1, usedMs: 0, in: HOUR_MS },
		{ name: "one session, half of it used", live: 1, usedMs: 30 * MINUTE_MS, in: 30 * MINUTE_MS },
		{ name: "three sessions use it three times as fast", live: 3, usedMs: 0, in: 20 * MINUTE_MS },
		{ name: "a third of a second that is left over", live: 3, usedMs: HOUR_MS - SECOND_MS, in: 333 },
		{ name: "all of it used", live: 2, usedMs: HOUR_MS, in: 0 },
		{ name: "more than all of it used", live: 2, usedMs: 2 * HOUR_MS, in: 0 },
	])("with $name comes in $in ms", ({ live, usedMs, in: inMs }) => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(hour);
		fixture.session({ subscriptionId, from: CYCLE_START, to: CYCLE_START + usedMs });
		for (let count = 0; count < live; count += 1) fixture.session({ subscriptionId, from: NOW });
		expect([...fixture.allowances.runtimeDeadlines(NOW)]).toEqual([[subscriptionId, NOW + inMs]]);
	});

	test("stays where it is while the same sessions go on", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(hour);
		fixture.session({ subscriptionId, from: NOW - 10 * MINUTE_MS });
		fixture.session({ subscriptionId, from: NOW });
		for (const later of [0, MINUTE_MS, 25 * MINUTE_MS])
			expect(fixture.allowances.runtimeDeadlines(NOW + later).get(subscriptionId)).toBe(NOW + 25 * MINUTE_MS);
	});

	test("does not come when the next cycle comes first", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(hour);
		fixture.session({ subscriptionId, from: CYCLE_END - 30 * MINUTE_MS });
		const { allowances } = fixture;
		expect(allowances.runtimeDeadlines(CYCLE_END - 1).size).toBe(0);
		expect(allowances.runtimeDeadlines(CYCLE_END).get(subscriptionId)).toBe(CYCLE_END + HOUR_MS);
	});

	test("is asked for all accounts at once, and only where there is a limit and a live session", () => {
		using fixture = new UsageFixture(plans);
		const mine = fixture.subscribe(hour);
		const unlimited = fixture.subscribe(team);
		const idle = fixture.subscribe(hour);
		const theirs = fixture.subscribe(hour, { accountId: 2, at: NOW - DAY_MS });
		fixture.session({ subscriptionId: mine, from: NOW });
		fixture.session({ subscriptionId: unlimited, from: NOW });
		fixture.session({ subscriptionId: idle, from: NOW - HOUR_MS, to: NOW });
		fixture.session({ subscriptionId: null, from: NOW });
		fixture.session({ accountId: 2, subscriptionId: theirs, from: NOW - 10 * MINUTE_MS });
		expect(new Map(fixture.allowances.runtimeDeadlines(NOW))).toEqual(
			new Map([
				[mine, NOW + HOUR_MS],
				[theirs, NOW + 50 * MINUTE_MS],
			]),
		);
	});

	test("comes also for a subscription that has ended meanwhile", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(hour, { endsAt: NOW - 1 });
		fixture.session({ subscriptionId, from: NOW - HOUR_MS });
		expect(fixture.allowances.runtimeDeadlines(NOW).get(subscriptionId)).toBe(NOW);
	});
});

test("sessions end with `runtime` once their subscription has none left, and no others", () => {
	using fixture = new UsageFixture(plans);
	const used = fixture.subscribe(hour);
	const left = fixture.subscribe(hour);
	const ends = [1, 2].map(() => fixture.session({ subscriptionId: used, from: NOW }));
	const goesOn = [left, null].map((subscriptionId) => fixture.session({ subscriptionId, from: NOW }));
	const live = new SessionStore(fixture.database).live();
	const outAt = (now: number) => fixture.allowances.withoutRuntime(live, now);
	expect(live.map(({ id }) => id).toSorted()).toEqual([...ends, ...goesOn].toSorted());
	expect(outAt(NOW + 30 * MINUTE_MS - 1).size).toBe(0);
	const out = outAt(NOW + 30 * MINUTE_MS);
	expect([...out].toSorted()).toEqual(ends.toSorted());
	const events = live.map((session) => {
		const circumstances = { isAttached: true, isOutOfRuntime: out.has(session.id) };
		const unexpired = { ...session, expiresAt: NOW + DAY_MS };
		return dueEvent(unexpired, circumstances, { idleTimeoutMs: HOUR_MS }, NOW + 30 * MINUTE_MS)?.type;
	});
	expect(events.filter((event) => event === "runtimeUsedUp")).toHaveLength(2);
});
