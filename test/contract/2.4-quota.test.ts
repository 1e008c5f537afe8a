/** Spec 2.4: the quota record, as GET /user/quota answers it after real starts, stops and traffic. */
import { expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { residentialOf } from "../support/contract-offer.ts";
import { waitFor } from "../support/wait-for.ts";

const MB = 1024 * 1024;
const DAY_MS = 86_400_000;

async function quotaOf(user: User): Promise<Record<string, unknown>> {
	return (await user.call("GET", "/user/quota")).body;
}

/** A session whose way out is open. */
async function startOpen(daemon: ContractDaemon, user: User, body: object): Promise<string> {
	const id = await user.start(body);
	await daemon.host.browserOf(id);
	return id;
}

test("2.4: has every field of the record, one pool for each subscription, and no other", async () => {
	await using daemon = await startContractDaemon({ residential: residentialOf(null) });
	const user = await daemon.addUser({ plan: "metered", furtherPlans: ["pack"] });
	const [metered, pack] = daemon.accounts.activeSubscriptions(user.account.id, daemon.clock.now());
	const id = await startOpen(daemon, user, { egress: "residential" });
	daemon.move(id, { up: 1_000, down: 2_000 });
	const counters = {
		running_session_limit: 3,
		running_sessions_used: 1,
		running_sessions_remaining: 2,
		cycle_start: "2026-03-01T00:00:00.000Z",
		cycle_session_limit: null,
		cycle_sessions_used: 1,
		cycle_sessions_remaining: null,
		residential_bytes_used_cycle: 3_000,
	};
	expect(await quotaOf(user)).toEqual({
		status: "ok",
		has_plan: true,
		...counters,
		residential_cycle_mb_limit: 502,
		pools: [
			{
				...counters,
				subscription_id: metered?.id,
				plan_id: "metered",
				plan_name: "Metered",
				residential_cycle_mb_limit: 2,
			},
			{
				...counters,
				subscription_id: pack?.id,
				plan_id: "pack",
				plan_name: "Pack",
				running_session_limit: 0,
				running_sessions_used: 0,
				running_sessions_remaining: 0,
				cycle_session_limit: 0,
				cycle_sessions_used: 0,
				cycle_sessions_remaining: 0,
				residential_cycle_mb_limit: 500,
				residential_bytes_used_cycle: 0,
			},
		],
	});
});

test("counts sessions started by hand and through the API alike", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "five" });
	await user.start();
	const byHand = await user.startByHand();
	const counted = { running_sessions_used: 2, running_sessions_remaining: 1, cycle_sessions_used: 2 };
	expect(await quotaOf(user)).toMatchObject({ ...counted, cycle_sessions_remaining: 3, pools: [counted] });
	await user.call("DELETE", `/web/sessions/${byHand}`);
	const stopped = { running_sessions_used: 1, running_sessions_remaining: 2, cycle_sessions_used: 2 };
	expect(await quotaOf(user)).toMatchObject({ ...stopped, cycle_sessions_remaining: 3, pools: [stopped] });
});

test("counts sessions of the cycle; the next one begins anew at its start", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "five" });
	for (let round = 0; round < 2; round++) await user.call("DELETE", `/web/sessions/${await user.start()}`);
	const limit = { cycle_session_limit: 5 };
	expect(await quotaOf(user)).toMatchObject({
		...limit,
		cycle_start: "2026-03-01T00:00:00.000Z",
		cycle_sessions_used: 2,
		cycle_sessions_remaining: 3,
	});
	daemon.clock.advance(30.5 * DAY_MS - 1);
	expect((await quotaOf(user))["cycle_sessions_used"]).toBe(2);
	daemon.clock.advance(1);
	expect(await quotaOf(user)).toMatchObject({
		...limit,
		cycle_start: "2026-04-01T00:00:00.000Z",
		cycle_sessions_used: 0,
		cycle_sessions_remaining: 5,
	});
});

test("counts residential traffic, both ways, and no other", async () => {
	await using daemon = await startContractDaemon({ residential: residentialOf(null) });
	const user = await daemon.addUser({ plan: "metered" });
	const residential = await startOpen(daemon, user, { egress: "residential" });
	const direct = await startOpen(daemon, user, {});
	const elsewhere = await startOpen(daemon, user, { country: "de" });
	daemon.move(residential, { up: MB / 4, down: MB / 2 });
	for (const id of [direct, elsewhere]) daemon.move(id, { up: MB, down: MB });
	expect((await quotaOf(user))["residential_bytes_used_cycle"]).toBe(0.75 * MB);
	await user.call("DELETE", `/web/sessions/${residential}`);
	expect((await quotaOf(user))["residential_bytes_used_cycle"]).toBe(0.75 * MB);
	daemon.clock.advance(31 * DAY_MS);
	expect((await quotaOf(user))["residential_bytes_used_cycle"]).toBe(0);
});

test.each([
	["full", null],
	["team", 0],
	["metered", 2],
])("the plan %s has the residential limit %s", async (plan, limit) => {
	await using daemon = await startContractDaemon();
	expect((await quotaOf(await daemon.addUser({ plan })))["residential_cycle_mb_limit"]).toBe(limit);
});

test("pools: a session takes its slot from a pool that has one, and the totals are the sums", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "team", furtherPlans: ["five"] });
	for (let round = 0; round < 4; round++) await user.start();
	expect(await quotaOf(user)).toMatchObject({
		running_session_limit: 6,
		running_sessions_used: 4,
		running_sessions_remaining: 2,
		cycle_session_limit: null,
		cycle_sessions_used: 4,
		cycle_sessions_remaining: null,
		pools: [
			{ plan_id: "team", running_sessions_used: 3, running_sessions_remaining: 0, cycle_sessions_used: 3 },
			{ plan_id: "five", running_sessions_used: 1, running_sessions_remaining: 2, cycle_sessions_used: 1 },
		],
	});
});

test("agrees with the quota in the answer to a start", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "team", furtherPlans: ["pack"] });
	const { quota } = (await user.call("POST", "/web/sessions", {})).body;
	expect(await quotaOf(user)).toMatchObject(Object(quota));
});

test("shows nothing of another account", async () => {
	await using daemon = await startContractDaemon({ residential: residentialOf(null) });
	const [user, other] = [
		await daemon.addUser({ plan: "metered" }),
		await daemon.addUser({ plan: "metered" }),
	];
	const before = await quotaOf(other);
	const id = await startOpen(daemon, user, { egress: "residential" });
	daemon.move(id, { up: MB, down: MB });
	await waitFor(
		async () => (await quotaOf(user))["residential_bytes_used_cycle"] === 2 * MB,
		"it is counted",
	);
	expect(await quotaOf(other)).toEqual(before);
});
