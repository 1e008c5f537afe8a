import { toIso } from "../../base/clock.ts";
import type { QuotaCounters, QuotaReport } from "../../usage/quota-report.ts";
import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";

export interface QuotaContext extends Pick<RouteContext, "authenticate"> {
	quotaOf(accountId: number): QuotaReport;
}

function countersView({ runningSessions, cycleStart, cycleSessions, ...residential }: QuotaCounters): object {
	return {
		running_session_limit: runningSessions.limit,
		running_sessions_used: runningSessions.used,
		running_sessions_remaining: runningSessions.remaining,
		cycle_start: cycleStart === null ? null : toIso(cycleStart),
		cycle_session_limit: cycleSessions.limit,
		cycle_sessions_used: cycleSessions.used,
		cycle_sessions_remaining: cycleSessions.remaining,
		residential_cycle_mb_limit: residential.residentialMbLimit,
		residential_bytes_used_cycle: residential.residentialBytesUsed,
	};
}

/** GET /user/quota (spec 2.4, 4.5). */
export function readQuota(request: Request, context: QuotaContext): Response {
	const { account } = context.authenticate(request);
	const quota = context.quotaOf(account.id);
	return ok({
		has_plan: quota.hasPlan,
		...countersView(quota),
		pools: quota.pools.map((pool) => ({
			subscription_id: pool.subscriptionId,
			plan_id: pool.planId,
			plan_name: pool.planName,
			...countersView(pool),
		})),
	});
}
