/** Who may take a slot. Slots are rows: every figure here is counted from the live sessions at that moment (spec 8). */
import { Refusal } from "../base/errors.ts";
import type { Session } from "./session.ts";

/** One subscription's share of concurrent sessions. */
export interface Pool {
	subscriptionId: number;
	runningSessionLimit: number;
}

/** Concurrent sessions of an account: allowed, in use, free (spec 2.1, `quota`). */
export interface SlotQuota {
	limit: number;
	used: number;
	remaining: number;
}

export function slotQuota(pools: readonly Pool[], live: readonly Session[]): SlotQuota {
	const limit = pools.reduce((sum, pool) => sum + pool.runningSessionLimit, 0);
	return { limit, used: live.length, remaining: Math.max(0, limit - live.length) };
}

/** The first pool with a free slot. Throws `quota_exceeded` when there is none. */
export function admit(pools: readonly Pool[], live: readonly Session[]): Pool {
	if (pools.length === 0) throw new Refusal("no-plan", {}, { status: "upgrade", code: "quota_exceeded" });
	const used = new Map<number | null, number>();
	for (const { subscriptionId } of live) used.set(subscriptionId, (used.get(subscriptionId) ?? 0) + 1);
	const quota = slotQuota(pools, live);
	const free = pools.find((pool) => (used.get(pool.subscriptionId) ?? 0) < pool.runningSessionLimit);
	if (free === undefined || quota.remaining === 0)
		throw new Refusal("slots-full", { limit: quota.limit }, { code: "quota_exceeded" });
	return free;
}
