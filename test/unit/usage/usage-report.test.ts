import { describe, expect, test } from "vitest";
import {
	aPlan,
	DAY_MS,
	HOUR_MS,
	MINUTE_MS,
	NOW,
	pack,
	type SessionRow,
	team,
	UsageFixture,
} from "./usage-fixture.ts";

const WINDOW = NOW - 30 * DAY_MS;

type Case = { name: string; sessions: SessionRow[]; active: number; started: number; minutes: number };

const cases: readonly Case[] = [
	{ name: "nothing", sessions: [], active: 0, started: 0, minutes: 0 },
	{
		name: "a live session, up to now",
		sessions: [{ from: NOW - 90 * MINUTE_MS }],
		active: 1,
		started: 1,
		minutes: 90,
	},
	{
		name: "an ended session, up to its end",
		sessions: [{ from: NOW - 5 * HOUR_MS, to: NOW - 4 * HOUR_MS }],
		active: 0,
		started: 1,
		minutes: 60,
	},
	{ name: "one that has just started", sessions: [{ from: NOW }], active: 1, started: 1, minutes: 0 },
	{
		name: "one that began with the window",
		sessions: [{ from: WINDOW, to: WINDOW + 2 * HOUR_MS }],
		active: 0,
		started: 1,
		minutes: 120,
	},
	{
		name: "of one that began before the window only the part inside",
		sessions: [{ from: WINDOW - 3 * HOUR_MS, to: WINDOW + HOUR_MS }],
		active: 0,
		started: 0,
		minutes: 60,
	},
	{
		name: "one that is live since before the window",
		sessions: [{ from: WINDOW - DAY_MS }],
		active: 1,
		started: 0,
		minutes: 30 * 24 * 60,
	},
	{
		name: "nothing of one that ended with the beginning of the window",
		sessions: [{ from: WINDOW - HOUR_MS, to: WINDOW }],
		active: 0,
		started: 0,
		minutes: 0,
	},
	{
		name: "sessions at the same time together",
		sessions: [
			{ from: NOW - HOUR_MS },
			{ from: NOW - HOUR_MS },
			{ from: NOW - HOUR_MS, to: NOW - 30 * MINUTE_MS },
		],
		active: 2,
		started: 3,
		minutes: 150,
	},
	{
		name: "no session that was started by hand",
		sessions: [
			{ from: NOW - HOUR_MS, kind: "app" },
			{ from: NOW - 2 * HOUR_MS, to: NOW, kind: "app" },
		],
		active: 0,
		started: 0,
		minutes: 0,
	},
	{
		name: "no session of another account",
		sessions: [{ from: NOW - HOUR_MS, accountId: 2 }],
		active: 0,
		started: 0,
		minutes: 0,
	},
	{
		name: "nothing of a session that ends and starts in the future: the clock was set back",
		sessions: [
			{ from: NOW + HOUR_MS, to: NOW + 2 * HOUR_MS },
			{ from: NOW - HOUR_MS, to: NOW + HOUR_MS },
		],
		active: 0,
		started: 2,
		minutes: 60,
	},
	{
		name: "minutes to two decimals",
		sessions: [{ from: NOW - 100_100 }],
		active: 1,
		started: 1,
		minutes: 1.67,
	},
];

test.each(cases)("counts $name", ({ sessions, active, started, minutes }) => {
	using fixture = new UsageFixture();
	for (const session of sessions) fixture.session(session);
	const { activeSessions, sessionsLast30d, totalMinutesLast30d } = fixture.usageOf();
	expect({ activeSessions, sessionsLast30d, totalMinutesLast30d }).toEqual({
		activeSessions: active,
		sessionsLast30d: started,
		totalMinutesLast30d: minutes,
	});
});

test("goes on with a live session while time passes and stands still after its end", () => {
	using fixture = new UsageFixture();
	const id = fixture.session({ from: NOW });
	const minutes: number[] = [];
	for (let step = 0; step < 4; step += 1) {
		if (step === 2) fixture.end(id);
		fixture.clock.advance(10 * MINUTE_MS);
		minutes.push(fixture.usageOf().totalMinutesLast30d);
	}
	expect(minutes).toEqual([10, 20, 20, 20]);
});

test("counts a session that is still starting", () => {
	using fixture = new UsageFixture();
	const id = fixture.session({ from: NOW - MINUTE_MS });
	fixture.database.command("UPDATE sessions SET status = 'starting' WHERE id = @id").run({ id });
	expect(fixture.usageOf()).toMatchObject({ activeSessions: 1, sessionsLast30d: 1, totalMinutesLast30d: 1 });
});

describe("the plan", () => {
	const basic = aPlan("basic", { runningSessionLimit: 2, features: [] });

	test.each([
		{ name: "the only one", subscribed: [team], shown: "The team plan", limit: 3, api: true },
		{
			name: "the first that grants API access",
			subscribed: [basic, team],
			shown: "The team plan",
			limit: 5,
			api: true,
		},
		{
			name: "the first when none does",
			subscribed: [basic, pack],
			shown: "The basic plan",
			limit: 2,
			api: false,
		},
		{
			name: "that with slots rather than a data pack",
			subscribed: [pack, basic],
			shown: "The basic plan",
			limit: 2,
			api: false,
		},
		{
			name: "a data pack when there is nothing else",
			subscribed: [pack],
			shown: "The pack plan",
			limit: 0,
			api: false,
		},
		{ name: "none", subscribed: [], shown: null, limit: 0, api: false },
	])("shown is $name", ({ subscribed, shown, limit, api }) => {
		using fixture = new UsageFixture([team, basic, pack]);
		for (const plan of subscribed) fixture.subscribe(plan);
		expect(fixture.usageOf().plan).toEqual({
			name: shown,
			runningSessionLimit: limit,
			hasProgrammaticAccess: api,
		});
	});
});

describe("pools", () => {
	test("are one for each subscription, a data pack with the limit 0", () => {
		using fixture = new UsageFixture();
		const first = fixture.subscribe(team);
		const second = fixture.subscribe(team);
		const data = fixture.subscribe(pack);
		fixture.session({ from: NOW, subscriptionId: first });
		fixture.session({ from: NOW, subscriptionId: second });
		fixture.session({ from: NOW, subscriptionId: second });
		fixture.session({ from: NOW - HOUR_MS, to: NOW, subscriptionId: second });
		const ofTeam = { planId: "team", planName: "The team plan", runningSessionLimit: 3 };
		expect(fixture.usageOf().pools).toEqual([
			{ ...ofTeam, subscriptionId: first, runningSessionsUsed: 1 },
			{ ...ofTeam, subscriptionId: second, runningSessionsUsed: 2 },
			{
				subscriptionId: data,
				planId: "pack",
				planName: "The pack plan",
				runningSessionLimit: 0,
				runningSessionsUsed: 0,
			},
		]);
	});

	test("count slots that sessions started by hand have taken", () => {
		using fixture = new UsageFixture();
		const subscriptionId = fixture.subscribe(team);
		fixture.session({ from: NOW, subscriptionId, kind: "app" });
		expect(fixture.usageOf()).toMatchObject({ activeSessions: 0, pools: [{ runningSessionsUsed: 1 }] });
	});

	test("leave out a subscription that has ended", () => {
		using fixture = new UsageFixture();
		fixture.subscribe(team, { endsAt: NOW - 1 });
		expect(fixture.usageOf().pools).toEqual([]);
	});
});
