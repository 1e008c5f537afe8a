/** Spec 2.3: the usage record, as GET /web/usage answers it after real starts and stops. */
import { expect, test } from "vitest";
import { objectIn, startContractDaemon, type User } from "../support/contract-daemon.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

async function usageOf(user: User): Promise<Record<string, unknown>> {
	return (await user.call("GET", "/web/usage")).body;
}

test("2.3: has every field of the record, one pool for each subscription, and no other", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "team", furtherPlans: ["pack"] });
	const [team, pack] = daemon.accounts.activeSubscriptions(user.account.id, daemon.clock.now());
	await user.start();
	expect(await usageOf(user)).toEqual({
		status: "ok",
		activeSessions: 1,
		sessionsLast30d: 1,
		totalMinutesLast30d: 0,
		plan: { name: "Team", runningSessionLimit: 3, featureProgrammaticAccess: true },
		pools: [
			{
				subscription_id: team?.id,
				plan_id: "team",
				plan_name: "Team",
				running_session_limit: 3,
				running_sessions_used: 1,
			},
			{
				subscription_id: pack?.id,
				plan_id: "pack",
				plan_name: "Pack",
				running_session_limit: 0,
				running_sessions_used: 0,
			},
		],
	});
});

test("activeSessions: those that are starting or running, until they end", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const counts = [(await usageOf(user))["activeSessions"]];
	const starting = await user.start();
	counts.push((await usageOf(user))["activeSessions"]);
	const running = await user.startRunning();
	counts.push((await usageOf(user))["activeSessions"]);
	await user.call("DELETE", `/web/sessions/${starting}`);
	counts.push((await usageOf(user))["activeSessions"]);
	await user.call("DELETE", `/web/sessions/${running}`);
	counts.push((await usageOf(user))["activeSessions"]);
	expect(counts).toEqual([0, 1, 2, 1, 0]);
});

test("sessionsLast30d: those that started in the last 30 days, also when they have ended", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	await user.call("DELETE", `/web/sessions/${await user.start()}`);
	daemon.clock.advance(10 * DAY_MS);
	await user.call("DELETE", `/web/sessions/${await user.start()}`);
	expect((await usageOf(user))["sessionsLast30d"]).toBe(2);
	daemon.clock.advance(20 * DAY_MS);
	expect((await usageOf(user))["sessionsLast30d"]).toBe(2);
	daemon.clock.advance(1);
	expect((await usageOf(user))["sessionsLast30d"]).toBe(1);
});

test("totalMinutesLast30d: the runtimes together; running sessions count up to now", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const first = await user.startRunning();
	daemon.clock.advance(10 * MINUTE_MS);
	await user.call("DELETE", `/web/sessions/${first}`);
	expect((await usageOf(user))["totalMinutesLast30d"]).toBe(10);
	daemon.clock.advance(60 * MINUTE_MS);
	expect((await usageOf(user))["totalMinutesLast30d"]).toBe(10);
	await user.startRunning();
	await user.start();
	daemon.clock.advance(90 * SECOND_MS);
	expect((await usageOf(user))["totalMinutesLast30d"]).toBe(13);
	daemon.clock.advance(15 * SECOND_MS);
	expect((await usageOf(user))["totalMinutesLast30d"]).toBe(13.5);
});

test("totalMinutesLast30d: of a session that began before the 30 days only what lies within them", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const id = await user.startRunning();
	daemon.clock.advance(60 * MINUTE_MS);
	await user.call("DELETE", `/web/sessions/${id}`);
	daemon.clock.advance(30 * DAY_MS - 45 * MINUTE_MS);
	expect((await usageOf(user))["totalMinutesLast30d"]).toBe(45);
	daemon.clock.advance(45 * MINUTE_MS);
	expect((await usageOf(user))["totalMinutesLast30d"]).toBe(0);
});

test("totals: nothing that was started by hand, though it takes a slot of its pool", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	await user.startByHand();
	daemon.clock.advance(MINUTE_MS);
	expect(await usageOf(user)).toMatchObject({
		activeSessions: 0,
		sessionsLast30d: 0,
		totalMinutesLast30d: 0,
		pools: [{ running_sessions_used: 1 }],
	});
});

test("totals: nothing of another account", async () => {
	await using daemon = await startContractDaemon();
	const [user, other] = [await daemon.addUser(), await daemon.addUser()];
	const before = await usageOf(other);
	await user.startRunning();
	daemon.clock.advance(MINUTE_MS);
	expect(await usageOf(other)).toEqual(before);
});

test("plan: the limit is that of all subscriptions together, the name that of the main one", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "pack", furtherPlans: ["free", "team"] });
	expect(objectIn(await usageOf(user), "plan")).toEqual({
		name: "Team",
		runningSessionLimit: 4,
		featureProgrammaticAccess: true,
	});
});

test("pools: a subscription that has ended is one no more", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const now = daemon.clock.now();
	daemon.accounts.subscribe(user.account.email, "wide", { now, endsAt: now + MINUTE_MS });
	expect((await usageOf(user))["pools"]).toHaveLength(2);
	daemon.clock.advance(MINUTE_MS + 1);
	expect((await usageOf(user))["pools"]).toMatchObject([{ plan_id: "team" }]);
});
