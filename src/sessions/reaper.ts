/** What is due is a question to a row, asked once a second; there is no timer per session (spec 3, 8). */
import type { SessionEvent } from "./lifecycle.ts";
import { isLive, type Session } from "./session.ts";

export interface ReaperLimits {
	idleTimeoutMs: number;
}

export interface Circumstances {
	/** A client is connected. */
	isAttached: boolean;
	/** The runtime allowance of the session's subscription is used up. */
	isOutOfRuntime: boolean;
}

/** The event that the session is due for at `now`; undefined when it may go on. */
export function dueEvent(
	session: Session,
	{ isAttached, isOutOfRuntime }: Circumstances,
	{ idleTimeoutMs }: ReaperLimits,
	now: number,
): SessionEvent | undefined {
	if (!isLive(session)) return undefined;
	if (session.stopRequestedAt !== null) return { type: "stopRequested" };
	if (now >= session.expiresAt) return { type: "lifetimeElapsed" };
	if (isOutOfRuntime) return { type: "runtimeUsedUp" };
	const isIdle = !isAttached && now - session.lastSeenAt >= idleTimeoutMs;
	if (session.state.status === "running" && isIdle) return { type: "idleElapsed" };
	return undefined;
}
