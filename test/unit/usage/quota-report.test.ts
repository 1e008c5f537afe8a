import { describe, expect, test } from "vitest";
import { aPlan, CYCLE_START, DAY_MS, HOUR_MS, MB, NOW, pack, team, UsageFixture } from "./usage-fixture.ts";

const small = aPlan("small", { cycleSessionLimit: 4, residentialMb: 100 });
const basic = aPlan("basic", { cycleSessionLimit: 10, features: ["programmatic_access"] });
const plans = [team, pack, small, basic];

test("says that there is no plan", () => {
	using fixture = new UsageFixture(plans);
	fixture.subscribe(team, { endsAt: NOW - 1 });
	fixture.session({ from: NOW });
	expect(fixture.quotaOf()).toEqual({
		hasPlan: false,
		runningSessions: { limit: 0, used: 1, remaining: 0 },
		cycleStart: null,
		cycleSessions: { limit: 0, used: 0, remaining: 0 },
		residentialMbLimit: null,
		residentialBytesUsed: 0,
		pools: [],
	});
});

test("counts every session of the account, also those started by hand", () => {
	using fixture = new UsageFixture(plans);
	const subscriptionId = fixture.subscribe(small);
	fixture.session({ subscriptionId, from: NOW - HOUR_MS, kind: "app" });
	fixture.session({ subscriptionId, from: NOW - HOUR_MS });
	fixture.session({ subscriptionId, from: NOW - DAY_MS, to: NOW - HOUR_MS, kind: "app" });
	fixture.session({ accountId: 2, from: NOW });
	const counters = {
		runningSessions: { limit: 3, used: 2, remaining: 1 },
		cycleStart: CYCLE_START,
		cycleSessions: { limit: 4, used: 3, remaining: 1 },
		residentialMbLimit: 100,
		residentialBytesUsed: 0,
	};
	const pool = { subscriptionId, planId: "small", planName: "The small plan", ...counters };
	expect(fixture.quotaOf()).toEqual({ hasPlan: true, ...counters, pools: [pool] });
});

describe("sessions of the cycle", () => {
	test("are those that started in it", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(small);
		fixture.session({ subscriptionId, from: CYCLE_START - 1 });
		fixture.session({ subscriptionId, from: CYCLE_START - HOUR_MS, to: CYCLE_START + HOUR_MS });
		fixture.session({ subscriptionId, from: CYCLE_START });
		fixture.session({ subscriptionId, from: CYCLE_START + DAY_MS, to: CYCLE_START + DAY_MS });
		expect(fixture.quotaOf().cycleSessions).toEqual({ limit: 4, used: 2, remaining: 2 });
	});

	test("begin anew with the next cycle", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(small);
		fixture.session({ subscriptionId, from: NOW });
		fixture.clock.advance(21 * DAY_MS);
		expect(fixture.quotaOf().cycleSessions).toEqual({ limit: 4, used: 0, remaining: 4 });
	});

	test("never leave less than none", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(small);
		for (let count = 0; count < 5; count += 1) fixture.session({ subscriptionId, from: NOW, to: NOW });
		expect(fixture.quotaOf().cycleSessions).toEqual({ limit: 4, used: 5, remaining: 0 });
	});

	test.each([
		{ name: "two limits", subscribed: [small, basic], limit: 14 },
		{ name: "one without a limit", subscribed: [small, team], limit: null },
		{ name: "a data pack", subscribed: [small, pack], limit: 4 },
	])("are limited by $name together to $limit", ({ subscribed, limit }) => {
		using fixture = new UsageFixture(plans);
		for (const plan of subscribed) fixture.subscribe(plan);
		expect(fixture.quotaOf().cycleSessions).toEqual({ limit, used: 0, remaining: limit });
	});

	test("count to the subscription that the slot came from, in its own cycle", () => {
		using fixture = new UsageFixture(plans);
		const first = fixture.subscribe(small);
		const second = fixture.subscribe(basic, { at: Date.parse("2026-02-15T20:00:00Z") });
		const between = Date.parse("2026-03-12T00:00:00Z");
		for (const subscriptionId of [first, second]) {
			fixture.session({ subscriptionId, from: between, to: between + HOUR_MS });
			fixture.session({ subscriptionId, from: NOW });
		}
		const { cycleStart, cycleSessions, pools } = fixture.quotaOf();
		expect(pools.map((pool) => pool.cycleStart)).toEqual([CYCLE_START, Date.parse("2026-03-15T00:00:00Z")]);
		expect(pools.map((pool) => pool.cycleSessions)).toEqual([
			{ limit: 4, used: 2, remaining: 2 },
			{ limit: 10, used: 1, remaining: 9 },
		]);
		expect({ cycleStart, cycleSessions }).toEqual({
			cycleStart: CYCLE_START,
			cycleSessions: { limit: 14, used: 3, remaining: 11 },
		});
	});

	test("that one subscription has used too many of are not taken from another", () => {
		using fixture = new UsageFixture(plans);
		const first = fixture.subscribe(small);
		fixture.subscribe(basic);
		for (let count = 0; count < 6; count += 1) fixture.session({ subscriptionId: first, from: NOW, to: NOW });
		expect(fixture.quotaOf().cycleSessions).toEqual({ limit: 14, used: 6, remaining: 10 });
	});
});

describe("running sessions", () => {
	test("of a subscription that has ended still count", () => {
		using fixture = new UsageFixture(plans);
		const ended = fixture.subscribe(team, { endsAt: NOW - 1 });
		fixture.subscribe(small);
		for (const subscriptionId of [ended, ended, null])
			fixture.session({ subscriptionId, from: NOW - HOUR_MS });
		const { runningSessions, pools } = fixture.quotaOf();
		expect(runningSessions).toEqual({ limit: 3, used: 3, remaining: 0 });
		expect(pools.map((pool) => pool.runningSessions)).toEqual([{ limit: 3, used: 0, remaining: 3 }]);
	});
});

describe("the residential allowance", () => {
	test.each([
		{ name: "of one plan", subscribed: [small], mb: 100 },
		{ name: "with a data pack", subscribed: [small, pack], mb: 600 },
		{ name: "with two data packs", subscribed: [small, pack, pack], mb: 1100 },
		{ name: "of a plan without limits", subscribed: [team, pack], mb: null },
		{ name: "of a plan without residential traffic", subscribed: [basic], mb: 0 },
		{ name: "of a plan without residential traffic and a data pack", subscribed: [basic, pack], mb: 500 },
	])("$name is $mb MB", ({ subscribed, mb }) => {
		using fixture = new UsageFixture(plans);
		for (const plan of subscribed) fixture.subscribe(plan);
		expect(fixture.quotaOf().residentialMbLimit).toBe(mb);
	});

	test("is used by bytes both ways, in the cycle, through residential exits only", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(small);
		const id = fixture.session({ subscriptionId, from: CYCLE_START - HOUR_MS, exit: "residential" });
		const other = fixture.session({ accountId: 2, from: CYCLE_START, exit: "residential" });
		fixture.moved(id, CYCLE_START - HOUR_MS, 1_000);
		fixture.moved(id, CYCLE_START, 200);
		fixture.moved(id, NOW, 31);
		fixture.moved(id, NOW, 7_000, "direct");
		fixture.moved(id, NOW, 7_000, "location");
		fixture.moved(id, NOW, 7_000, "own_proxy");
		fixture.moved(other, NOW, 500);
		const { residentialBytesUsed, pools } = fixture.quotaOf();
		expect(residentialBytesUsed).toBe(231);
		expect(pools.map((pool) => pool.residentialBytesUsed)).toEqual([231]);
		fixture.clock.advance(21 * DAY_MS);
		expect(fixture.quotaOf().residentialBytesUsed).toBe(0);
	});

	test("is one for the account: a data pack has no sessions of its own", () => {
		using fixture = new UsageFixture(plans);
		const subscriptionId = fixture.subscribe(small);
		fixture.subscribe(pack, { at: NOW - DAY_MS });
		fixture.moved(
			fixture.session({ subscriptionId, from: CYCLE_START, exit: "residential" }),
			CYCLE_START,
			250 * MB,
		);
		const { cycleStart, residentialMbLimit, residentialBytesUsed, pools } = fixture.quotaOf();
		expect({ cycleStart, residentialMbLimit, residentialBytesUsed }).toEqual({
			cycleStart: CYCLE_START,
			residentialMbLimit: 600,
			residentialBytesUsed: 250 * MB,
		});
		expect(pools.map((pool) => [pool.residentialMbLimit, pool.residentialBytesUsed])).toEqual([
			[100, 250 * MB],
			[500, 0],
		]);
	});

	test("counts the bytes of sessions whose subscription has ended", () => {
		using fixture = new UsageFixture(plans);
		const ended = fixture.subscribe(small, { endsAt: NOW - 1 });
		fixture.subscribe(small);
		fixture.moved(fixture.session({ subscriptionId: ended, from: CYCLE_START }), CYCLE_START, 1_000);
		const { residentialBytesUsed, pools } = fixture.quotaOf();
		expect(residentialBytesUsed).toBe(1_000);
		expect(pools.map((pool) => pool.residentialBytesUsed)).toEqual([0]);
	});
});
