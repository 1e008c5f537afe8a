import { describe, expect, test } from "vitest";
import type { Feature, Plan } from "../../../src/accounts/plan.ts";
import type { ActiveSubscription } from "../../../src/accounts/subscription.ts";
import { Refusal } from "../../../src/base/errors.ts";
import { type AdmissionRequest, type Allowance, admit, slotQuota } from "../../../src/sessions/admission.ts";
import type { Session } from "../../../src/sessions/session.ts";
import { refusalOf } from "../../support/refusal-of.ts";
import { aSession, NOW } from "./a-session.ts";
import { aPlan } from "./starter-fixture.ts";

/** A subscription with so many slots. */
function pool(id: number, runningSessionLimit: number, differences: Partial<Plan> = {}): ActiveSubscription {
	const plan = aPlan(`plan-${id}`, { runningSessionLimit, ...differences });
	return { id, accountId: 1, planId: plan.id, createdAt: NOW, endsAt: null, plan };
}

const live = (...subscriptionIds: (number | null)[]): Session[] =>
	subscriptionIds.map((subscriptionId) => aSession({ subscriptionId }));

const unlimited: Allowance = { sessionsLeft: null, runtimeLeftMs: null };

/** A request of an app key without any wishes and with all allowances, but for what the test says. */
const request = (
	subscriptions: readonly ActiveSubscription[],
	differences: Partial<AdmissionRequest> = {},
): AdmissionRequest => ({
	subscriptions,
	live: [],
	features: ["programmatic_access"],
	allowanceOf: () => unlimited,
	residentialBytesLeft: () => null,
	...differences,
});

const api: Feature = "programmatic_access";
const only = (...features: Feature[]): Partial<Plan> => ({ features: [api, ...features] });

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
		expect(admit(request(pools, { live: sessions })).id).toBe(taken);
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
		const refusal = refusalOf(() => admit(request(pools, { live: sessions })));
		expect(refusal).toBeInstanceOf(Refusal);
		expect(refusal).toMatchObject({
			key: "slots-full",
			status: "denied",
			code: "quota_exceeded",
			details: { limit },
		});
	});

	test("refuses an account without any subscription as one that needs a plan", () => {
		expect(refusalOf(() => admit(request([])))).toMatchObject({
			key: "no-plan",
			status: "upgrade",
			code: "quota_exceeded",
		});
	});
});

const refusalOfFeature = {
	locations: "plan-without-locations",
	own_proxy: "plan-without-own-proxy",
	residential: "plan-without-residential",
} as const;

describe.each(["locations", "own_proxy", "residential"] as const)("a start that needs %s", (feature) => {
	const features: readonly Feature[] = [feature, api];
	const lacking = { key: refusalOfFeature[feature], status: "upgrade", code: "quota_exceeded" };

	test("is refused by a plan without it, as an upgrade", () => {
		expect(refusalOf(() => admit(request([pool(1, 3, only())], { features })))).toMatchObject(lacking);
	});

	test("is refused for the plan even when every slot is taken", () => {
		const full = request([pool(1, 1, only())], { features, live: live(1) });
		expect(refusalOf(() => admit(full))).toMatchObject(lacking);
	});

	test("is served by a plan with it", () => {
		expect(admit(request([pool(1, 3, only(feature))], { features })).id).toBe(1);
	});
});

describe.each(["locations", "own_proxy"] as const)("of several subscriptions %s", (feature) => {
	const features: readonly Feature[] = [feature, api];
	const pools = [pool(1, 2, only()), pool(2, 1, only(feature))];

	test("comes from the one that includes it, although another has a slot", () => {
		expect(admit(request(pools, { features })).id).toBe(2);
		expect(admit(request(pools)).id).toBe(1);
	});

	test("is refused for the slots when those that include it are full", () => {
		const refusal = refusalOf(() => admit(request(pools, { features, live: live(2) })));
		expect(refusal).toMatchObject({ key: "slots-full", status: "denied", code: "quota_exceeded" });
		expect(admit(request(pools, { live: live(2) })).id).toBe(1);
	});

	test("is what is lacking when no subscription includes it together with API access", () => {
		const apart = [pool(1, 3, only()), pool(2, 3, { features: [feature] })];
		expect(refusalOf(() => admit(request(apart, { features })))).toMatchObject({
			key: refusalOfFeature[feature],
			status: "upgrade",
			code: "quota_exceeded",
		});
	});

	test("is what is lacking when only a subscription without slots includes it", () => {
		const packs = [pool(1, 3, only()), pool(2, 0, only(feature))];
		for (const wanted of [features, [feature]])
			expect(refusalOf(() => admit(request(packs, { features: wanted }))).key).toBe(
				refusalOfFeature[feature],
			);
	});
});

describe("residential traffic", () => {
	const features: readonly Feature[] = ["residential", api];
	const pack = pool(2, 0, { features: ["residential"] });

	test("may be granted by a data pack, while the slot comes from a plan without it", () => {
		expect(admit(request([pack, pool(1, 3, only())], { features })).id).toBe(1);
	});

	test("of a data pack gives no slot", () => {
		const full = request([pool(1, 1, only()), pack], { features, live: live(1) });
		expect(refusalOf(() => admit(full))).toMatchObject({ key: "slots-full", details: { limit: 1 } });
	});

	test("that is used up refuses a residential start", () => {
		const used = request([pool(1, 3)], { features, residentialBytesLeft: () => 0 });
		expect(refusalOf(() => admit(used))).toMatchObject({
			key: "residential-used",
			status: "denied",
			code: "quota_exceeded",
		});
	});

	test("with a byte left admits one", () => {
		expect(admit(request([pool(1, 3)], { features, residentialBytesLeft: () => 1 })).id).toBe(1);
	});

	test("is not asked about for other starts", () => {
		const residentialBytesLeft = () => {
			throw new Error("nobody asked");
		};
		expect(admit(request([pool(1, 3)], { features: ["locations", api], residentialBytesLeft })).id).toBe(1);
	});
});

describe("API access", () => {
	test("is no matter for a start by hand", () => {
		expect(admit(request([pool(1, 3, { features: [] })], { features: [] })).id).toBe(1);
	});

	test("is what a start by the API is refused for without it", () => {
		const refusal = refusalOf(() => admit(request([pool(1, 3, { features: [] })])));
		expect(refusal).toMatchObject({ key: "plan-without-api", status: "upgrade", code: "quota_exceeded" });
	});

	test("comes from the subscription that includes it", () => {
		expect(admit(request([pool(1, 3, { features: [] }), pool(2, 3)])).id).toBe(2);
	});
});

describe("the allowances of the billing cycle", () => {
	const noSessions: Allowance = { sessionsLeft: 0, runtimeLeftMs: null };
	const noRuntime: Allowance = { sessionsLeft: null, runtimeLeftMs: 0 };
	const limited = { cycleSessionLimit: 40 };

	/** A start with one subscription for each of these allowances. */
	const start = (allowances: readonly Allowance[]) => {
		const pools = allowances.map((_, index) => pool(index + 1, 1, limited));
		return admit(request(pools, { allowanceOf: ({ id }) => allowances[id - 1] ?? unlimited }));
	};

	test.each([
		{ name: "one session left", allowances: [{ sessionsLeft: 1, runtimeLeftMs: null }], served: 1 },
		{
			name: "a millisecond of runtime left",
			allowances: [{ sessionsLeft: null, runtimeLeftMs: 1 }],
			served: 1,
		},
		{ name: "no session left in the first of two", allowances: [noSessions, unlimited], served: 2 },
		{ name: "no runtime left in the first of two", allowances: [noRuntime, unlimited], served: 2 },
	])("serve a start with $name", ({ allowances, served }) => {
		expect(start(allowances).id).toBe(served);
	});

	const sessionsUsed = {
		key: "cycle-sessions-used",
		status: "denied",
		code: "quota_exceeded",
		details: { limit: 40 },
	};
	const runtimeUsed = { key: "runtime-used", status: "denied", code: "quota_exceeded", details: {} };

	test.each([
		{ name: "no session left", allowances: [noSessions], refusal: sessionsUsed },
		{ name: "no runtime left", allowances: [noRuntime], refusal: runtimeUsed },
		{ name: "neither left", allowances: [{ sessionsLeft: 0, runtimeLeftMs: 0 }], refusal: sessionsUsed },
		{
			name: "no session in one, no runtime in the other",
			allowances: [noSessions, noRuntime],
			refusal: sessionsUsed,
		},
		{
			name: "no runtime in one, no session in the other",
			allowances: [noRuntime, noSessions],
			refusal: runtimeUsed,
		},
	])("refuse a start with $name", ({ allowances, refusal }) => {
		expect(refusalOf(() => start(allowances))).toMatchObject(refusal);
	});

	test("are not asked of a subscription without a free slot", () => {
		const asked: number[] = [];
		const allowanceOf = ({ id }: ActiveSubscription) => {
			asked.push(id);
			return unlimited;
		};
		expect(admit(request([pool(1, 1), pool(2, 1)], { live: live(1), allowanceOf })).id).toBe(2);
		expect(asked).toEqual([2]);
	});

	test("do not matter when every slot is taken", () => {
		const full = request([pool(1, 1)], { live: live(1), allowanceOf: () => noSessions });
		expect(refusalOf(() => admit(full)).key).toBe("slots-full");
	});
});

test("sessions that were started by hand take slots as all others do", () => {
	const byHand = [1, 1, 1].map((subscriptionId) => aSession({ subscriptionId, startedByKind: "app" }));
	expect(refusalOf(() => admit(request([pool(1, 3)], { live: byHand }))).key).toBe("slots-full");
});
