/** Usage record (spec 2.3), as GET /web/usage answers it. */
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, NOW, pack, team, UsageFixture } from "../unit/usage/usage-fixture.ts";

test("has every field of the record and no other", async () => {
	using fixture = new UsageFixture();
	const subscriptionId = fixture.subscribe(team);
	const packId = fixture.subscribe(pack);
	fixture.session({ subscriptionId, from: NOW - 15 * MINUTE_MS });
	fixture.session({ subscriptionId, from: NOW - HOUR_MS, to: NOW - 30 * MINUTE_MS });
	fixture.session({ subscriptionId, from: NOW - 40 * DAY_MS, to: NOW - 39 * DAY_MS });
	expect(await fixture.get("/web/usage", fixture.key())).toEqual({
		status: "ok",
		activeSessions: 1,
		sessionsLast30d: 2,
		totalMinutesLast30d: 45,
		plan: { name: "The team plan", runningSessionLimit: 3, featureProgrammaticAccess: true },
		pools: [
			{
				subscription_id: subscriptionId,
				plan_id: "team",
				plan_name: "The team plan",
				running_session_limit: 3,
				running_sessions_used: 1,
			},
			{
				subscription_id: packId,
				plan_id: "pack",
				plan_name: "The pack plan",
				running_session_limit: 0,
				running_sessions_used: 0,
			},
		],
	});
});

test("covers only sessions of this account that were started through the API or MCP", async () => {
	using fixture = new UsageFixture();
	const subscriptionId = fixture.subscribe(team);
	fixture.session({ subscriptionId, from: NOW - HOUR_MS, kind: "app" });
	fixture.session({ accountId: 2, from: NOW - HOUR_MS });
	expect(await fixture.get("/web/usage", fixture.key())).toMatchObject({
		activeSessions: 0,
		sessionsLast30d: 0,
		totalMinutesLast30d: 0,
	});
});
