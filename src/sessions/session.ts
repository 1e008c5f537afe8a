/** What a session is. Times are milliseconds since the epoch. */
import type { SessionState } from "./lifecycle.ts";
import type { Screen } from "./ports.ts";

/** `agent` for the API and MCP, `app` for sessions started by hand (spec 1). */
export type StartedByKind = "agent" | "app";

/** How a session reaches the web; `residential` counts toward an allowance. */
export type ExitKind = "direct" | "location" | "residential" | "own_proxy";

export interface Session {
	id: string;
	accountId: number;
	subscriptionId: number | null;
	appKeyId: number | null;
	startedByKind: StartedByKind;
	name: string;
	imageId: string;
	url: string | null;
	country: string | null;
	exitKind: ExitKind;
	screen: Screen;
	state: SessionState;
	createdAt: number;
	readyAt: number | null;
	/** When a connected client last kept the session alive; the start when none ever did. */
	lastSeenAt: number;
	/** The latest time at which the session ends. */
	expiresAt: number;
	/** The command line asked for the end; the reaper carries it out. */
	stopRequestedAt: number | null;
}

/** How long ended sessions are listed and counted (spec 2.3, 8). */
export const HISTORY_MS = 30 * 24 * 60 * 60 * 1_000;

export function isLive(session: Session): boolean {
	return session.state.status !== "ended";
}
