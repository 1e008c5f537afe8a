import { describe, expect, test } from "vitest";
import {
	type EndedReason,
	next,
	type SessionEvent,
	type SessionState,
} from "../../../src/sessions/lifecycle.ts";

const NOW = 2_000;

const endings: readonly [SessionEvent, EndedReason, string | null][] = [
	[{ type: "stopRequested" }, "stopped", null],
	[{ type: "browserClosed" }, "stopped", "the browser was closed"],
	[{ type: "browserFailed", detail: "signal SIGSEGV" }, "error", "signal SIGSEGV"],
	[{ type: "browserLost", detail: "no such process" }, "lost", "no such process"],
	[{ type: "idleElapsed" }, "disconnect", null],
	[{ type: "lifetimeElapsed" }, "timeout", null],
	[{ type: "runtimeUsedUp" }, "runtime", null],
];
const events: readonly SessionEvent[] = [{ type: "browserReady" }, ...endings.map(([event]) => event)];
const reasons: readonly EndedReason[] = ["stopped", "timeout", "disconnect", "runtime", "error", "lost"];

describe.each(["starting", "running"] as const)("a %s session", (status) => {
	test("is running once its browser is ready", () => {
		expect(next({ status }, { type: "browserReady" }, NOW)).toEqual({ status: "running" });
	});

	test.each(endings)("ends with %j as %s", (event, reason, detail) => {
		expect(next({ status }, event, NOW)).toEqual({ status: "ended", reason, endedAt: NOW, detail });
	});
});

describe.each(reasons)("a session that ended as %s", (reason) => {
	const ended: SessionState = { status: "ended", reason, endedAt: 1_000, detail: "the first detail" };

	test.each(events)("absorbs %j and keeps its reason, time and detail", (event) => {
		expect(next(ended, event, NOW)).toEqual(ended);
	});
});
