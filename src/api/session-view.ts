/** A session in wire spelling (spec 2.1, 2.2). */
import type { Account } from "../accounts/account.ts";
import { toIso } from "../base/clock.ts";
import type { SlotQuota } from "../sessions/admission.ts";
import { isLive, type Session } from "../sessions/session.ts";
import type { SessionTokens } from "../sessions/session-token.ts";

export interface ViewOptions {
	/** Origin and path under which clients reach the daemon, without a trailing slash. */
	publicUrl: string;
	tokens: SessionTokens;
}

function connectUrl(session: Session, { publicUrl, tokens }: ViewOptions): string {
	const base = publicUrl.replace(/^http/, "ws");
	return `${base}/web/${session.id}/cdp?token=${tokens.of(session.id)}`;
}

function liveViewUrl(session: Session, { publicUrl }: ViewOptions): string {
	return `${publicUrl}/en/viewer?id=${session.id}`;
}

/** As the start call answers (spec 2.1). */
export function startedView(session: Session, quota: SlotQuota, options: ViewOptions): object {
	return {
		id: session.id,
		name: session.name,
		image: session.imageId,
		connectUrl: connectUrl(session, options),
		liveViewUrl: liveViewUrl(session, options),
		createdAt: toIso(session.createdAt),
		screen: session.screen,
		quota: {
			running_session_limit: quota.limit,
			running_sessions_used: quota.used,
			running_sessions_remaining: quota.remaining,
		},
	};
}

/** As list and read answer (spec 2.2). */
export function sessionView(session: Session, account: Account, options: ViewOptions): object {
	const { state } = session;
	return {
		id: session.id,
		name: session.name,
		image: session.imageId,
		status: state.status,
		createdAt: toIso(session.createdAt),
		endedAt: state.status === "ended" ? toIso(state.endedAt) : null,
		endedReason: state.status === "ended" ? state.reason : null,
		expiresAt: toIso(session.expiresAt),
		lastseen: toIso(session.lastSeenAt),
		url: session.url,
		country: session.country,
		screen: session.screen,
		connectUrl: isLive(session) ? connectUrl(session, options) : null,
		liveViewUrl: liveViewUrl(session, options),
		startedByKind: session.startedByKind,
		analysisEnabled: false,
		startedBy: {
			id: account.id,
			email: account.email,
			firstname: account.firstname,
			lastname: account.lastname,
		},
	};
}
