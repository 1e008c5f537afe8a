/** Quota record (spec 2.4), as GET /user/quota answers it. */
import { expect, test } from "vitest";
import { aPlan, HOUR_MS, MB, NOW, pack, team, UsageFixture } from "../unit/usage/usage-fixture.ts";

test("has every field of the record and no other", async () => {
	const plan = aPlan("limited", { cycleSessionLimit: 10, residentialMb: 100 });
	using fixture = new UsageFixture([plan, pack]);
	const subscriptionId = fixture.subscribe(plan);
	const packId = fixture.subscribe(pack, { at: Date.parse("2026-03-18T10:00:00Z") });
	fixture.session({ subscriptionId, from: NOW - HOUR_MS, kind: "app" });
	fixture.moved(fixture.session({ subscriptionId, from: NOW, exit: "residential" }), NOW, 2 * MB);
	expect(await fixture.get("/user/quota", fixture.key())).toEqual({
		status: "ok",
		has_plan: true,
		running_session_limit: 3,
		running_sessions_used: 2,
		running_sessions_remaining: 1,
		cycle_start: "2026-03-10T00:00:00.000Z",
		cycle_session_limit: 10,
		cycle_sessions_used: 2,
		cycle_sessions_remaining: 8,
		residential_cycle_mb_limit: 600,
		residential_bytes_used_cycle: 2 * MB,
		pools: [
			{
				subscription_id: subscriptionId,
				plan_id: "limited",
				plan_name: "The limited plan",
				running_session_limit: 3,
				running_sessions_used: 2,
				running_sessions_remaining: 1,
				cycle_start: "2026-03-10T00:00:00.000Z",
				cycle_session_limit: 10,
				cycle_sessions_used: 2,
				cycle_sessions_remaining: 8,
				residential_cycle_mb_limit: 100,
				residential_bytes_used_cycle: 2 * MB,
			},
			{
				subscription_id: packId,
				plan_id: "pack",
				plan_name: "The pack plan",
				running_session_limit: 0,
				running_sessions_used: 0,
				running_sessions_remaining: 0,
				cycle_start: "2026-03-18T00:00:00.000Z",
				cycle_session_limit: 0,
				cycle_sessions_used: 0,
				cycle_sessions_remaining: 0,
				residential_cycle_mb_limit: 500,
				residential_bytes_used_cycle: 0,
			},
		],
	});
});

test("shows null for what the plan does not limit", async () => {
	using fixture = new UsageFixture();
	fixture.subscribe(team);
	expect(await fixture.get("/user/quota", fixture.key())).toMatchObject({
		cycle_session_limit: null,
		cycle_sessions_remaining: null,
		residential_cycle_mb_limit: null,
	});
});
