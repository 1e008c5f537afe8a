import { expect, test } from "vitest";
import { dueEvent } from "../../../src/sessions/reaper.ts";
import type { Session } from "../../../src/sessions/session.ts";
import { aSession, HOUR_MS, NOW } from "./a-session.ts";

const IDLE_MS = 300_000;
const LIFETIME_MS = 18 * HOUR_MS;
const starting = { state: { status: "starting" } } as const;
const ended = { state: { status: "ended", reason: "error", endedAt: NOW, detail: null } } as const;
const stopAsked = { stopRequestedAt: NOW };

type Case = {
	name: string;
	session?: Partial<Session>;
	isAttached?: boolean;
	isOutOfRuntime?: boolean;
	after: number;
	due: string | undefined;
};

const cases: readonly Case[] = [
	{ name: "a new session", after: 0, due: undefined },
	{
		name: "one that nobody ever connected to, a moment before the idle end",
		after: IDLE_MS - 1,
		due: undefined,
	},
	{ name: "one that nobody ever connected to, at the idle end", after: IDLE_MS, due: "idleElapsed" },
	{
		name: "one whose last client left later",
		session: { lastSeenAt: NOW + 1 },
		after: IDLE_MS,
		due: undefined,
	},
	{ name: "one with a client, long after", isAttached: true, after: 17 * HOUR_MS, due: undefined },
	{ name: "one that is still starting", session: starting, after: IDLE_MS, due: undefined },
	{
		name: "one with a client a moment before its lifetime",
		isAttached: true,
		after: LIFETIME_MS - 1,
		due: undefined,
	},
	{ name: "one with a client at its lifetime", isAttached: true, after: LIFETIME_MS, due: "lifetimeElapsed" },
	{
		name: "one that is still starting at its lifetime",
		session: starting,
		after: LIFETIME_MS,
		due: "lifetimeElapsed",
	},
	{ name: "one idle at its lifetime", after: LIFETIME_MS, due: "lifetimeElapsed" },
	{ name: "one that is to be stopped", session: stopAsked, isAttached: true, after: 0, due: "stopRequested" },
	{
		name: "one that is to be stopped while starting",
		session: { ...starting, ...stopAsked },
		after: 0,
		due: "stopRequested",
	},
	{
		name: "one that is to be stopped at its lifetime",
		session: stopAsked,
		after: LIFETIME_MS,
		due: "stopRequested",
	},
	{ name: "one without runtime left", isOutOfRuntime: true, after: 0, due: "runtimeUsedUp" },
	{
		name: "one without runtime left, with a client",
		isAttached: true,
		isOutOfRuntime: true,
		after: 0,
		due: "runtimeUsedUp",
	},
	{
		name: "one without runtime left that is still starting",
		session: starting,
		isOutOfRuntime: true,
		after: 0,
		due: "runtimeUsedUp",
	},
	{
		name: "one without runtime left at the idle end",
		isOutOfRuntime: true,
		after: IDLE_MS,
		due: "runtimeUsedUp",
	},
	{
		name: "one without runtime left at its lifetime",
		isOutOfRuntime: true,
		after: LIFETIME_MS,
		due: "lifetimeElapsed",
	},
	{
		name: "one without runtime left that is to be stopped",
		session: stopAsked,
		isOutOfRuntime: true,
		after: 0,
		due: "stopRequested",
	},
	{
		name: "one that has ended and has no runtime left",
		session: ended,
		isOutOfRuntime: true,
		after: 0,
		due: undefined,
	},
	{ name: "one that has ended", session: { ...ended, ...stopAsked }, after: 2 * LIFETIME_MS, due: undefined },
	{ name: "one from the future, after the clock was set back", after: -HOUR_MS, due: undefined },
];

test.each(cases)("$name: $due", ({ session, isAttached = false, isOutOfRuntime = false, after, due }) => {
	const circumstances = { isAttached, isOutOfRuntime };
	const event = dueEvent(aSession(session), circumstances, { idleTimeoutMs: IDLE_MS }, NOW + after);
	expect(event?.type).toBe(due);
});
