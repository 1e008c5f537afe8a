import { describe, expect, test } from "vitest";
import { Refusal } from "../../../src/base/errors.ts";
import { admit, type Pool, slotQuota } from "../../../src/sessions/admission.ts";
import type { Session } from "../../../src/sessions/session.ts";
import { refusalOf } from "../../support/refusal-of.ts";
import { aSession } from "./a-session.ts";

const pool = (subscriptionId: number, runningSessionLimit: number): Pool => ({
	subscriptionId,
	runningSessionLimit,
});
const live = (...subscriptionIds: (number | null)[]): Session[] =>
	subscriptionIds.map((subscriptionId) => aSession({ subscriptionId }));

describe("slotQuota", () => {
	test.each([
		{ name: "no pool", pools: [], sessions: live(), quota: { limit: 0, used: 0, remaining: 0 } },
		{
			name: "one pool, nothing live",
			pools: [pool(1, 3)],
			sessions: live(),
			quota: { limit: 3, used: 0, remaining: 3 },
		},
		{
			name: "two pools add up",
			pools: [pool(1, 3), pool(2, 2)],
			sessions: live(1, 2),
			quota: { limit: 5, used: 2, remaining: 3 },
		},
		{
			name: "never less than none",
			pools: [pool(1, 1)],
			sessions: live(1, 1, null),
			quota: { limit: 1, used: 3, remaining: 0 },
		},
		{
			name: "a data pack has no slot",
			pools: [pool(1, 3), pool(2, 0)],
			sessions: live(1),
			quota: { limit: 3, used: 1, remaining: 2 },
		},
	])("$name", ({ pools, sessions, quota }) => {
		expect(slotQuota(pools, sessions)).toEqual(quota);
	});
});

describe("admit", () => {
	test.each([
		{ name: "the only pool", pools: [pool(1, 3)], sessions: live(), taken: 1 },
		{ name: "the last slot", pools: [pool(1, 3)], sessions: live(1, 1), taken: 1 },
		{
			name: "the first pool as long as it has a slot",
			pools: [pool(1, 2), pool(2, 2)],
			sessions: live(1, 2),
			taken: 1,
		},
		{
			name: "the second pool when the first is full",
			pools: [pool(1, 2), pool(2, 2)],
			sessions: live(1, 1),
			taken: 2,
		},
		{ name: "a pool behind a data pack", pools: [pool(1, 0), pool(2, 1)], sessions: live(), taken: 2 },
		{
			name: "the first pool again after a stop",
			pools: [pool(1, 1), pool(2, 1)],
			sessions: live(2),
			taken: 1,
		},
	])("takes a slot of $name", ({ pools, sessions, taken }) => {
		expect(admit(pools, sessions).subscriptionId).toBe(taken);
	});

	test.each([
		{ name: "all slots of the only pool are taken", pools: [pool(1, 3)], sessions: live(1, 1, 1), limit: 3 },
		{
			name: "all slots of all pools are taken",
			pools: [pool(1, 1), pool(2, 1)],
			sessions: live(1, 2),
			limit: 2,
		},
		{ name: "there is only a data pack", pools: [pool(1, 0)], sessions: live(), limit: 0 },
		{
			name: "sessions of a subscription that is over fill the account",
			pools: [pool(2, 2)],
			sessions: live(1, 1),
			limit: 2,
		},
		{
			name: "sessions without a subscription fill the account",
			pools: [pool(1, 1)],
			sessions: live(null),
			limit: 1,
		},
	])("refuses when $name", ({ pools, sessions, limit }) => {
		const refusal = refusalOf(() => admit(pools, sessions));
		expect(refusal).toBeInstanceOf(Refusal);
		expect(refusal).toMatchObject({
			key: "slots-full",
			status: "denied",
			code: "quota_exceeded",
			details: { limit },
		});
	});

	test("refuses an account without any subscription as one that needs a plan", () => {
		expect(refusalOf(() => admit([], []))).toMatchObject({
			key: "no-plan",
			status: "upgrade",
			code: "quota_exceeded",
		});
	});
});
