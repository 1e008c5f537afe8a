import type { ActiveSubscription } from "../accounts/subscription.ts";
import type { UsageStore } from "./usage-store.ts";

/** What the reports and the allowances are made from. */
export interface UsageSources {
	usage: UsageStore;
	/** The subscriptions of an account that are in force at `now`, oldest first. */
	subscriptionsOf(accountId: number, now: number): readonly ActiveSubscription[];
}
