/** What an account has used in the last 30 days (spec 2.3). */
import { HISTORY_MS } from "../sessions/session.ts";
import { grantsApi, mainSubscription } from "./grants.ts";
import type { UsageSources } from "./usage-sources.ts";

const MINUTE_MS = 60_000;

export interface UsagePool {
	subscriptionId: number;
	planId: string;
	planName: string;
	runningSessionLimit: number;
	/** Taken slots; sessions that were started by hand take slots too. */
	runningSessionsUsed: number;
}

export interface UsageReport {
	/** This and the next two count sessions that were started through the API or MCP. */
	activeSessions: number;
	sessionsLast30d: number;
	/** To two decimals. */
	totalMinutesLast30d: number;
	plan: {
		/** Null without a plan. */
		name: string | null;
		/** Of all subscriptions together. */
		runningSessionLimit: number;
		hasProgrammaticAccess: boolean;
	};
	/** One for each subscription, oldest first. */
	pools: UsagePool[];
}

export function usageReport(
	accountId: number,
	{ usage, subscriptionsOf }: UsageSources,
	now: number,
): UsageReport {
	const subscriptions = subscriptionsOf(accountId, now);
	const since = now - HISTORY_MS;
	const minutes = usage.runtimeByAgentsMs(accountId, { since, now }) / MINUTE_MS;
	const live = usage.liveBySubscription(accountId);
	return {
		activeSessions: usage.activeByAgents(accountId),
		sessionsLast30d: usage.startedByAgents(accountId, since),
		totalMinutesLast30d: Math.round(minutes * 100) / 100,
		plan: {
			name: mainSubscription(subscriptions)?.plan.name ?? null,
			runningSessionLimit: subscriptions.reduce((sum, { plan }) => sum + plan.runningSessionLimit, 0),
			hasProgrammaticAccess: subscriptions.some(grantsApi),
		},
		pools: subscriptions.map(({ id, plan }) => ({
			subscriptionId: id,
			planId: plan.id,
			planName: plan.name,
			runningSessionLimit: plan.runningSessionLimit,
			runningSessionsUsed: live.get(id) ?? 0,
		})),
	};
}
