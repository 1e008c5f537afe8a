import type { UsageReport } from "../../usage/usage-report.ts";
import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";

export interface UsageContext extends Pick<RouteContext, "authenticate"> {
	usageOf(accountId: number): UsageReport;
}

/** GET /web/usage (spec 2.3, 4.5). */
export function readUsage(request: Request, context: UsageContext): Response {
	const { account } = context.authenticate(request);
	const { plan, pools, ...totals } = context.usageOf(account.id);
	return ok({
		activeSessions: totals.activeSessions,
		sessionsLast30d: totals.sessionsLast30d,
		totalMinutesLast30d: totals.totalMinutesLast30d,
		plan: {
			name: plan.name,
			runningSessionLimit: plan.runningSessionLimit,
			featureProgrammaticAccess: plan.hasProgrammaticAccess,
		},
		pools: pools.map((pool) => ({
			subscription_id: pool.subscriptionId,
			plan_id: pool.planId,
			plan_name: pool.planName,
			running_session_limit: pool.runningSessionLimit,
			running_sessions_used: pool.runningSessionsUsed,
		})),
	});
}
