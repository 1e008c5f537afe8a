/**
 * What an account may use in its billing cycle and has used of it, over all its sessions, however they were started
 * (spec 2.4). A session counts to the subscription that it took its slot from, in the cycle of that subscription.
 *
 * Residential traffic is one allowance for the whole account, the sum over its subscriptions, in the cycle of the main one:
 * a data pack has no sessions of its own. Sessions of the cycle are limited for each subscription; their totals are sums.
 */
import type { ActiveSubscription } from "../accounts/subscription.ts";
import {
	cycleOf,
	cycleSessionLimit,
	leftOf,
	mainSubscription,
	residentialMbLimit,
	sumOfLimits,
} from "./grants.ts";
import type { UsageSources } from "./usage-sources.ts";

export interface Counter {
	/** Null: unlimited. */
	limit: number | null;
	used: number;
	/** Null: unlimited. Never less than 0. */
	remaining: number | null;
}

export interface QuotaCounters {
	runningSessions: { limit: number; used: number; remaining: number };
	/** Milliseconds since the epoch; null without a plan. */
	cycleStart: number | null;
	cycleSessions: Counter;
	/** Null: unlimited, or no plan. An MB is 1024 × 1024 bytes. */
	residentialMbLimit: number | null;
	residentialBytesUsed: number;
}

export interface QuotaPool extends QuotaCounters {
	subscriptionId: number;
	planId: string;
	planName: string;
}

export interface QuotaReport extends QuotaCounters {
	hasPlan: boolean;
	/** One for each subscription, oldest first. */
	pools: QuotaPool[];
}

export function quotaReport(accountId: number, sources: UsageSources, now: number): QuotaReport {
	const { usage } = sources;
	const subscriptions = sources.subscriptionsOf(accountId, now);
	const main = mainSubscription(subscriptions);
	const cycleStart = main === undefined ? null : cycleOf(main, now).start;
	const pools = poolsOf(accountId, subscriptions, { usage, now });
	const slots = subscriptions.reduce((sum, { plan }) => sum + plan.runningSessionLimit, 0);
	const live = usage.live(accountId);
	return {
		hasPlan: main !== undefined,
		runningSessions: { limit: slots, used: live, remaining: Math.max(0, slots - live) },
		cycleStart,
		cycleSessions: {
			limit: sumOfLimits(pools.map(({ cycleSessions }) => cycleSessions.limit)),
			used: pools.reduce((sum, { cycleSessions }) => sum + cycleSessions.used, 0),
			remaining: sumOfLimits(pools.map(({ cycleSessions }) => cycleSessions.remaining)),
		},
		residentialMbLimit: main === undefined ? null : sumOfLimits(pools.map((pool) => pool.residentialMbLimit)),
		residentialBytesUsed: cycleStart === null ? 0 : usage.residentialBytes(accountId, cycleStart),
		pools,
	};
}

function poolsOf(
	accountId: number,
	subscriptions: readonly ActiveSubscription[],
	{ usage, now }: { usage: UsageSources["usage"]; now: number },
): QuotaPool[] {
	const windows = subscriptions.map((subscription) => ({
		subscriptionId: subscription.id,
		since: cycleOf(subscription, now).start,
	}));
	const live = usage.liveBySubscription(accountId);
	const started = usage.startedBySubscription(windows);
	const bytes = usage.residentialBytesBySubscription(windows);
	return subscriptions.map((subscription) => {
		const { id, plan } = subscription;
		const runningUsed = live.get(id) ?? 0;
		const cycleLimit = cycleSessionLimit(plan);
		const cycleUsed = started.get(id) ?? 0;
		return {
			subscriptionId: id,
			planId: plan.id,
			planName: plan.name,
			runningSessions: {
				limit: plan.runningSessionLimit,
				used: runningUsed,
				remaining: Math.max(0, plan.runningSessionLimit - runningUsed),
			},
			cycleStart: cycleOf(subscription, now).start,
			cycleSessions: { limit: cycleLimit, used: cycleUsed, remaining: leftOf(cycleLimit, cycleUsed) },
			residentialMbLimit: residentialMbLimit(plan),
			residentialBytesUsed: bytes.get(id) ?? 0,
		};
	});
}
