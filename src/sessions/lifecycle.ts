/** Which state follows which (spec 3). Pure: no clock, no store, no browser. */

export type EndedReason = "stopped" | "timeout" | "disconnect" | "runtime" | "error" | "lost";

export type SessionState =
	| { status: "starting" }
	| { status: "running" }
	| { status: "ended"; reason: EndedReason; endedAt: number; detail: string | null };

export type SessionEvent =
	| { type: "browserReady" }
	| { type: "stopRequested" }
	/** Chrome ended by itself: a client sent `Browser.close`, or the last window was closed. */
	| { type: "browserClosed" }
	| { type: "browserFailed"; detail: string }
	/** The browser or its machine is gone, found by a daemon that came later. */
	| { type: "browserLost"; detail: string }
	| { type: "idleElapsed" }
	| { type: "lifetimeElapsed" }
	| { type: "runtimeUsedUp" };

function endOf(event: Exclude<SessionEvent, { type: "browserReady" }>): {
	reason: EndedReason;
	detail: string | null;
} {
	switch (event.type) {
		case "stopRequested":
			return { reason: "stopped", detail: null };
		case "browserClosed":
			return { reason: "stopped", detail: "the browser was closed" };
		case "browserFailed":
			return { reason: "error", detail: event.detail };
		case "browserLost":
			return { reason: "lost", detail: event.detail };
		case "idleElapsed":
			return { reason: "disconnect", detail: null };
		case "lifetimeElapsed":
			return { reason: "timeout", detail: null };
		case "runtimeUsedUp":
			return { reason: "runtime", detail: null };
	}
}

/** The state after the event at time `now`. `ended` absorbs everything and keeps its reason. */
export function next(state: SessionState, event: SessionEvent, now: number): SessionState {
	if (state.status === "ended") return state;
	if (event.type === "browserReady") return { status: "running" };
	return { status: "ended", endedAt: now, ...endOf(event) };
}
