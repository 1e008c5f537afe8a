/**
 * What is left of the allowances of a billing cycle, for whoever starts sessions and ends them (spec 2.4, 3, 4.1). Sessions
 * and runtime belong to a subscription, residential traffic to the account. Nothing is kept: each answer is a query.
 */
import { billingCycle } from "../accounts/billing-cycle.ts";
import type { Plan } from "../accounts/plan.ts";
import type { ActiveSubscription } from "../accounts/subscription.ts";
import type { Allowance } from "../sessions/admission.ts";
import type { Session } from "../sessions/session.ts";
import {
	cycleOf,
	cycleSessionLimit,
	leftOf,
	mainSubscription,
	residentialMbLimit,
	sumOfLimits,
} from "./grants.ts";
import type { UsageSources } from "./usage-sources.ts";

const MINUTE_MS = 60_000;
const MB_BYTES = 1024 * 1024;

export interface AllowanceOptions extends UsageSources {
	plans: readonly Plan[];
}

function runtimeLimitMs({ runtimeMinutes }: Plan): number | null {
	return runtimeMinutes === null ? null : Math.floor(runtimeMinutes * MINUTE_MS);
}

export class Allowances {
	readonly #options: AllowanceOptions;
	readonly #runtimeLimits: ReadonlyMap<string, number>;

	constructor(options: AllowanceOptions) {
		this.#options = options;
		this.#runtimeLimits = new Map(
			options.plans.flatMap((plan) => {
				const limit = runtimeLimitMs(plan);
				return limit === null ? [] : [[plan.id, limit] as const];
			}),
		);
	}

	/** What the subscription has left at `now`; what it does not limit costs no query. */
	allowanceOf(subscription: ActiveSubscription, now: number): Allowance {
		const { usage } = this.#options;
		const { id, plan } = subscription;
		const window = { subscriptionId: id, since: cycleOf(subscription, now).start };
		const sessionLimit = cycleSessionLimit(plan);
		const runtimeLimit = runtimeLimitMs(plan);
		const started = sessionLimit === null ? 0 : (usage.startedBySubscription([window]).get(id) ?? 0);
		const ranMs = runtimeLimit === null ? 0 : (usage.runtimeBySubscription([window], now).get(id) ?? 0);
		return { sessionsLeft: leftOf(sessionLimit, started), runtimeLeftMs: leftOf(runtimeLimit, ranMs) };
	}

	/** Of the account, over all its subscriptions; null is unlimited, 0 also without a plan. */
	residentialBytesLeft(accountId: number, now: number): number | null {
		const { usage, subscriptionsOf } = this.#options;
		const subscriptions = subscriptionsOf(accountId, now);
		const main = mainSubscription(subscriptions);
		if (main === undefined) return 0;
		const limitMb = sumOfLimits(subscriptions.map(({ plan }) => residentialMbLimit(plan)));
		if (limitMb === null) return null;
		const used = usage.residentialBytes(accountId, cycleOf(main, now).start);
		return leftOf(Math.floor(limitMb * MB_BYTES), used);
	}

	/**
	 * When the runtime of each subscription with live sessions is used up if those all go on: sessions that run at the same
	 * time share it. Not later than `now` when it is used up. A subscription is missing when it lasts into the next cycle.
	 */
	runtimeDeadlines(now: number): ReadonlyMap<number, number> {
		if (this.#runtimeLimits.size === 0) return new Map();
		const { usage } = this.#options;
		const limited = usage.liveSubscriptions().flatMap((live) => {
			const limitMs = this.#runtimeLimits.get(live.planId);
			return limitMs === undefined ? [] : [{ ...live, limitMs, cycle: billingCycle(live.startedAt, now) }];
		});
		if (limited.length === 0) return new Map();
		const windows = limited.map(({ subscriptionId, cycle }) => ({ subscriptionId, since: cycle.start }));
		const runtime = usage.runtimeBySubscription(windows, now);
		return new Map(
			limited.flatMap(({ subscriptionId, limitMs, cycle, liveSessions }) => {
				const leftMs = Math.max(0, limitMs - (runtime.get(subscriptionId) ?? 0));
				const deadline = now + Math.floor(leftMs / liveSessions);
				return deadline < cycle.end ? [[subscriptionId, deadline] as const] : [];
			}),
		);
	}

	/** Of these live sessions the ids whose subscription has no runtime left. Two queries, however many there are. */
	withoutRuntime(live: readonly Session[], now: number): ReadonlySet<string> {
		if (live.length === 0) return new Set();
		const deadlines = this.runtimeDeadlines(now);
		const isOut = ({ subscriptionId }: Session): boolean =>
			subscriptionId !== null && (deadlines.get(subscriptionId) ?? Number.POSITIVE_INFINITY) <= now;
		return new Set(live.filter(isOut).map(({ id }) => id));
	}
}
