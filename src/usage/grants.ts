/** What an account's subscriptions grant together. One without slots is a data pack: it adds residential traffic only. */
import { type BillingCycle, billingCycle } from "../accounts/billing-cycle.ts";
import type { Plan } from "../accounts/plan.ts";
import type { ActiveSubscription } from "../accounts/subscription.ts";

export function cycleOf(subscription: ActiveSubscription, now: number): BillingCycle {
	return billingCycle(subscription.createdAt, now);
}

export function grantsApi({ plan }: ActiveSubscription): boolean {
	return plan.features.includes("programmatic_access");
}

/**
 * The subscription that stands for the account: its plan is the one that is shown, its cycle the account's. The oldest with
 * slots and API access, else the oldest with slots, else the oldest.
 */
export function mainSubscription(
	subscriptions: readonly ActiveSubscription[],
): ActiveSubscription | undefined {
	const withSlots = subscriptions.filter(({ plan }) => plan.runningSessionLimit > 0);
	return withSlots.find(grantsApi) ?? withSlots[0] ?? subscriptions[0];
}

/** Sessions in a cycle; null is unlimited. A data pack has none to give, however its plan is written. */
export function cycleSessionLimit(plan: Plan): number | null {
	return plan.runningSessionLimit === 0 ? 0 : plan.cycleSessionLimit;
}

/** Residential MB in a cycle; null is unlimited. A plan without the feature and without a figure grants none. */
export function residentialMbLimit(plan: Plan): number | null {
	return plan.residentialMb ?? (plan.features.includes("residential") ? null : 0);
}

/** The sum; null, which is unlimited, when any of them is. */
export function sumOfLimits(limits: readonly (number | null)[]): number | null {
	return limits.reduce((sum, limit) => (sum === null || limit === null ? null : sum + limit), 0);
}

/** What is left of a limit, never less than 0; null is unlimited. */
export function leftOf(limit: number | null, used: number): number | null {
	return limit === null ? null : Math.max(0, limit - used);
}
