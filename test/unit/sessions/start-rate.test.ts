import { describe, expect, test } from "vitest";
import { type StartLimits, StartRate, waitMs } from "../../../src/sessions/start-rate.ts";
import { AccountsFixture, ada, DAY_MS, NOW } from "../accounts/accounts.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const limits: StartLimits = { perMinute: 2, perHour: 4, perDay: 6 };
const never: StartLimits = { perMinute: 1_000, perHour: 1_000, perDay: 1_000 };

/** The wait after starts at these times, which are given as how long they are ago. */
function waitAfter(...agoMs: number[]): number {
	const newestFirst = agoMs.map((ago) => NOW - ago).sort((a, b) => b - a);
	return waitMs(limits, NOW, (nth, after) => newestFirst.filter((time) => time > after)[nth - 1]);
}

describe("the wait", () => {
	test.each<[string, number[], number]>([
		["nothing", [], 0],
		["one start now", [0], 0],
		["a full minute", [0, 0], MINUTE_MS],
		["a full minute that is nearly over", [59_999, 10], 1],
		["a minute whose older start has just left it", [60_000, 10], 0],
		["more than a full minute, after the limit was lowered", [30_000, 20_000, 10_000], 40_000],
		["a full hour", [50 * MINUTE_MS, 40 * MINUTE_MS, 30 * MINUTE_MS, 20 * MINUTE_MS], 10 * MINUTE_MS],
		["a full hour and a full minute", [50 * MINUTE_MS, 40 * MINUTE_MS, 1_000, 500], 10 * MINUTE_MS],
		["an hour that is free before the minute is", [HOUR_MS - 1, 2 * MINUTE_MS, 10, 5], MINUTE_MS - 10],
		["a full day", [20, 19, 18, 17, 16, 15].map((hours) => hours * HOUR_MS), 4 * HOUR_MS],
		[
			"a day whose oldest start has just left it",
			[24, 19, 18, 17, 16, 15].map((hours) => hours * HOUR_MS),
			0,
		],
	])("after %s", (_name, agoMs, expected) => {
		expect(waitAfter(...agoMs)).toBe(expected);
	});
});

async function fixtureWithKeys() {
	const fixture = new AccountsFixture();
	const account = await fixture.accounts.add(ada, NOW);
	const other = await fixture.accounts.add({ ...ada, email: "bob@example.org" }, NOW);
	const keyOf = (name: string) => fixture.keys.add({ account, name }, NOW).appKey.id;
	const insert = fixture.store.command(
		`INSERT INTO sessions (id, account_id, app_key_id, started_by_kind, name, image, screen_width, screen_height, status,
		                       created_at, last_seen_at, expires_at, ended_at, ended_reason)
		 VALUES (@id, @accountId, @appKeyId, 'agent', 'n', 'chrome', 1366, 768, 'ended', @createdAt, 1, 1, 1, 'stopped')`,
	);
	return Object.assign(fixture, {
		accountId: account.id,
		otherAccountId: other.id,
		first: keyOf("first"),
		second: keyOf("second"),
		start: (appKeyId: number | null, createdAt: number, accountId = account.id) => {
			insert.run({ id: crypto.randomUUID(), accountId, appKeyId, createdAt });
		},
		rate: (perAppKey: StartLimits, perAccount: StartLimits) =>
			new StartRate({ store: fixture.store, perAppKey, perAccount }),
	});
}

test("counts the starts of a key for this key", async () => {
	using fixture = await fixtureWithKeys();
	const rate = fixture.rate(limits, never);
	fixture.start(fixture.first, NOW - 10);
	fixture.start(fixture.first, NOW - 5);
	expect(rate.check(fixture.first, fixture.accountId, NOW)).toEqual({
		allowed: false,
		retryAfterMs: MINUTE_MS - 10,
	});
	expect(rate.check(fixture.second, fixture.accountId, NOW)).toEqual({ allowed: true });
	expect(rate.check(null, fixture.accountId, NOW)).toEqual({ allowed: true });
});

test("counts the starts of all keys, and those by hand, for the account", async () => {
	using fixture = await fixtureWithKeys();
	const rate = fixture.rate(never, limits);
	fixture.start(fixture.first, NOW - 10);
	fixture.start(null, NOW - 5);
	const refused = { allowed: false, retryAfterMs: MINUTE_MS - 10 };
	expect(rate.check(fixture.second, fixture.accountId, NOW)).toEqual(refused);
	expect(rate.check(null, fixture.accountId, NOW)).toEqual(refused);
	expect(rate.check(null, fixture.otherAccountId, NOW)).toEqual({ allowed: true });
});

test("answers the longer wait of key and account", async () => {
	using fixture = await fixtureWithKeys();
	fixture.start(fixture.first, NOW - 10);
	const once = { ...never, perHour: 1 };
	const expected = { allowed: false, retryAfterMs: HOUR_MS - 10 };
	const twice = { ...never, perMinute: 1 };
	expect(fixture.rate(once, twice).check(fixture.first, fixture.accountId, NOW)).toEqual(expected);
	expect(fixture.rate(twice, once).check(fixture.first, fixture.accountId, NOW)).toEqual(expected);
});

test("leaves out what a clock since set back has put into the future", async () => {
	using fixture = await fixtureWithKeys();
	for (let count = 0; count < 10; count++) fixture.start(fixture.first, NOW + DAY_MS);
	expect(fixture.rate(limits, limits).check(fixture.first, fixture.accountId, NOW)).toEqual({
		allowed: true,
	});
});

test("knows after a restart what it knew before", async () => {
	using fixture = await fixtureWithKeys();
	for (const ago of [1, 2]) fixture.start(fixture.first, NOW - ago);
	const before = fixture.rate(limits, limits).check(fixture.first, fixture.accountId, NOW);
	expect(fixture.rate(limits, limits).check(fixture.first, fixture.accountId, NOW)).toEqual(before);
	expect(before).toEqual({ allowed: false, retryAfterMs: MINUTE_MS - 2 });
});

test("allows a start after the wait, not a millisecond earlier, and never more than the limits", async () => {
	using fixture = await fixtureWithKeys();
	const rate = fixture.rate(limits, { perMinute: 3, perHour: 5, perDay: 8 });
	const starts: number[] = [];
	let now = NOW;
	for (let round = 0; round < 60; round++) {
		const key = round % 3 === 0 ? fixture.second : fixture.first;
		const decision = rate.check(key, fixture.accountId, now);
		if (!decision.allowed) {
			const almost = rate.check(key, fixture.accountId, now + decision.retryAfterMs - 1);
			expect(almost).toEqual({ allowed: false, retryAfterMs: 1 });
			now += decision.retryAfterMs;
			expect(rate.check(key, fixture.accountId, now)).toEqual({ allowed: true });
		}
		fixture.start(key, now);
		starts.push(now);
		now += (round * 7_919) % 40_000;
	}
	const within = (end: number, lengthMs: number) =>
		starts.filter((at) => at > end - lengthMs && at <= end).length;
	for (const end of starts) {
		expect(within(end, MINUTE_MS)).toBeLessThanOrEqual(3);
		expect(within(end, HOUR_MS)).toBeLessThanOrEqual(5);
		expect(within(end, DAY_MS)).toBeLessThanOrEqual(8);
	}
});
