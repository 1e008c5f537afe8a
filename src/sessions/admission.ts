/**
 * Who may take a slot. Slots are rows: every figure here is counted from the live sessions at that moment (spec 8). A
 * subscription is a pool of slots; a start takes the first one that has a free slot, the plan's features and allowances left.
 */
import type { Feature } from "../accounts/plan.ts";
import type { ActiveSubscription } from "../accounts/subscription.ts";
import { Refusal, type RefusalKey } from "../base/errors.ts";
import type { Session } from "./session.ts";

/** Concurrent sessions of an account: allowed, in use, free (spec 2.1, `quota`). */
export interface SlotQuota {
	limit: number;
	used: number;
	remaining: number;
}

/** What is left of a subscription's allowances in its billing cycle; null is unlimited. */
export interface Allowance {
	sessionsLeft: number | null;
	runtimeLeftMs: number | null;
}

export interface AdmissionRequest {
	subscriptions: readonly ActiveSubscription[];
	live: readonly Session[];
	/** What the plan has to include for this start. */
	features: readonly Feature[];
	allowanceOf(subscription: ActiveSubscription): Allowance;
	/** Of the account, over all its subscriptions; null is unlimited. Asked for residential sessions only. */
	residentialBytesLeft(): number | null;
}

export function slotQuota(subscriptions: readonly ActiveSubscription[], live: readonly Session[]): SlotQuota {
	const limit = subscriptions.reduce((sum, { plan }) => sum + plan.runningSessionLimit, 0);
	return { limit, used: live.length, remaining: Math.max(0, limit - live.length) };
}

const refusalOfFeature = {
	locations: "plan-without-locations",
	own_proxy: "plan-without-own-proxy",
	residential: "plan-without-residential",
	programmatic_access: "plan-without-api",
} as const;

function hasKey(feature: Feature): feature is keyof typeof refusalOfFeature {
	return Object.hasOwn(refusalOfFeature, feature);
}

function quotaExceeded(key: Extract<RefusalKey, "runtime-used" | "residential-used">): Refusal {
	return new Refusal(key, {}, { code: "quota_exceeded" });
}

/** Whether one of the subscriptions has slots, taken or not, and includes all of these features. */
export function hasSlotsWith(
	subscriptions: readonly ActiveSubscription[],
	features: readonly Feature[],
): boolean {
	return subscriptions.some(
		({ plan }) =>
			plan.runningSessionLimit > 0 && features.every((feature) => plan.features.includes(feature)),
	);
}

/**
 * A data pack grants residential traffic without slots, so that one feature is looked for over all subscriptions. The others
 * have to be together where there are slots; when they are apart, what was asked for is lacking rather than API access.
 */
function lackedFeature({ subscriptions, features }: AdmissionRequest): Feature | undefined {
	const isGranted = (feature: Feature) => subscriptions.some(({ plan }) => plan.features.includes(feature));
	if (features.includes("residential") && !isGranted("residential")) return "residential";
	const ofPool = features.filter((feature) => feature !== "residential");
	if (hasSlotsWith(subscriptions, ofPool)) return undefined;
	const notGranted = ofPool.find((feature) => !isGranted(feature));
	return notGranted ?? ofPool.find((feature) => feature !== "programmatic_access");
}

/** The subscription that the session takes its slot from. Throws a Refusal with the code of spec 4.1 when there is none. */
export function admit(request: AdmissionRequest): ActiveSubscription {
	const { subscriptions, live, features, allowanceOf } = request;
	if (subscriptions.length === 0)
		throw new Refusal("no-plan", {}, { status: "upgrade", code: "quota_exceeded" });
	const lacked = lackedFeature(request);
	if (lacked !== undefined && hasKey(lacked))
		throw new Refusal(refusalOfFeature[lacked], {}, { status: "upgrade", code: "quota_exceeded" });
	const used = new Map<number | null, number>();
	for (const { subscriptionId } of live) used.set(subscriptionId, (used.get(subscriptionId) ?? 0) + 1);
	const quota = slotQuota(subscriptions, live);
	const ofPool = features.filter((feature) => feature !== "residential");
	const free = subscriptions.filter(
		({ id, plan }) =>
			(used.get(id) ?? 0) < plan.runningSessionLimit &&
			ofPool.every((feature) => plan.features.includes(feature)),
	);
	if (free.length === 0 || quota.remaining === 0)
		throw new Refusal("slots-full", { limit: quota.limit }, { code: "quota_exceeded" });
	if (features.includes("residential") && request.residentialBytesLeft() === 0)
		throw quotaExceeded("residential-used");
	let refusal: Refusal | undefined;
	for (const subscription of free) {
		const { sessionsLeft, runtimeLeftMs } = allowanceOf(subscription);
		if (sessionsLeft === 0) {
			const limit = subscription.plan.cycleSessionLimit ?? 0;
			refusal ??= new Refusal("cycle-sessions-used", { limit }, { code: "quota_exceeded" });
		} else if (runtimeLeftMs === 0) refusal ??= quotaExceeded("runtime-used");
		else return subscription;
	}
	throw refusal ?? new Refusal("slots-full", { limit: quota.limit }, { code: "quota_exceeded" });
}
