/** Spec 4.1 quota_exceeded and 8: allowances of a billing cycle, and pools. */
import { describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { aPlan, residentialOf } from "../support/contract-offer.ts";

const MB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const quotaExceeded = {
	status: "denied",
	code: "quota_exceeded",
	message: expect.stringMatching(/^A?.*\.$/),
};

async function start(user: User, body: object = {}) {
	return (await user.call("POST", "/web/sessions", body)).body;
}

async function startAndStop(user: User): Promise<unknown> {
	const body = await start(user);
	if (body["status"] === "ok") await user.call("DELETE", `/web/sessions/${String(body["id"])}`);
	return body["code"] ?? body["status"];
}

async function startOpen(daemon: ContractDaemon, user: User): Promise<string> {
	const id = await user.start({ egress: "residential" });
	await daemon.host.browserOf(id);
	return id;
}

describe("sessions of the cycle", () => {
	test("are refused beyond the plan's number, also when they have ended, until the next cycle", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "five" });
		await user.call("DELETE", `/web/sessions/${await user.startByHand()}`);
		for (let round = 0; round < 4; round++) expect(await startAndStop(user)).toBe("ok");
		const refused = await start(user);
		expect(refused).toEqual({ ...quotaExceeded, message: expect.stringContaining("5") });
		expect(await start(user)).toEqual(refused);
		daemon.clock.advance(30.5 * DAY_MS);
		expect(await startAndStop(user)).toBe("ok");
	});

	test("are not used up by refused starts", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "five" });
		for (let round = 0; round < 10; round++) await start(user, { name: "" });
		for (let round = 0; round < 5; round++) expect(await startAndStop(user)).toBe("ok");
	});

	test("go on in a further subscription that has some left", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "five", furtherPlans: ["five"] });
		for (let round = 0; round < 10; round++) expect(await startAndStop(user)).toBe("ok");
		expect(await startAndStop(user)).toBe("quota_exceeded");
	});
});

describe("the runtime allowance", () => {
	test("refuses starts once it is used up, until the next cycle", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "hour" });
		const id = await user.start();
		daemon.clock.advance(60 * MINUTE_MS - 1);
		expect(await startAndStop(user)).toBe("ok");
		daemon.clock.advance(1);
		expect(await start(user)).toEqual(quotaExceeded);
		daemon.tick();
		expect((await user.call("GET", `/web/sessions/${id}`)).body).toMatchObject({
			data: { status: "ended", endedReason: "runtime" },
		});
		expect(await start(user)).toEqual(quotaExceeded);
		daemon.clock.advance(31 * DAY_MS);
		expect(await startAndStop(user)).toBe("ok");
	});

	test("ends and refuses only what took its slot from that subscription", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "hour", furtherPlans: ["team"] });
		const limited = [await user.start(), await user.start(), await user.start()];
		const unlimited = await user.start();
		daemon.clock.advance(20 * MINUTE_MS);
		daemon.tick();
		const statusOf = async (id: string) => (await user.call("GET", `/web/sessions/${id}`)).body["data"];
		for (const id of limited) expect(await statusOf(id)).toMatchObject({ endedReason: "runtime" });
		expect(await statusOf(unlimited)).toMatchObject({ status: "starting" });
		expect(await startAndStop(user)).toBe("ok");
	});
});

describe("the residential allowance", () => {
	test("refuses residential starts once it is used up, and no others", async () => {
		await using daemon = await startContractDaemon({ residential: residentialOf(null) });
		const user = await daemon.addUser({ plan: "metered" });
		const id = await startOpen(daemon, user);
		daemon.move(id, { up: MB, down: MB - 1 });
		await user.call("DELETE", `/web/sessions/${await user.start({ egress: "residential" })}`);
		daemon.move(id, { up: 0, down: 1 });
		expect(await start(user, { egress: "residential" })).toEqual(quotaExceeded);
		expect(await start(user)).toMatchObject({ status: "ok" });
		daemon.clock.advance(31 * DAY_MS);
		expect(await start(user, { egress: "residential" })).toMatchObject({ status: "ok" });
	});

	test("is widened by a data pack, which gives no slots", async () => {
		await using daemon = await startContractDaemon({ residential: residentialOf(null) });
		const user = await daemon.addUser({ plan: "metered", furtherPlans: ["pack"] });
		daemon.move(await startOpen(daemon, user), { up: 0, down: 501 * MB });
		daemon.move(await startOpen(daemon, user), { up: 0, down: MB });
		expect(await start(user, { egress: "residential" })).toEqual(quotaExceeded);
		await user.start();
		expect(await start(user)).toEqual(quotaExceeded);
	});

	test("is no key to the API: a data pack alone is a plan without API access", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "pack" });
		expect(await start(user)).toEqual({ status: "upgrade", message: expect.stringMatching(/\.$/) });
	});
});

describe("slots", () => {
	test("of all subscriptions together can be taken, and not one more", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "team", furtherPlans: ["five", "pack"] });
		for (let round = 0; round < 6; round++) expect((await start(user))["status"]).toBe("ok");
		expect(await start(user)).toEqual({ ...quotaExceeded, message: expect.stringContaining("6") });
	});

	test("of a subscription that has ended are gone, while its sessions go on", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "team" });
		const now = daemon.clock.now();
		daemon.accounts.subscribe(user.account.email, "team", { now, endsAt: now + MINUTE_MS });
		for (let round = 0; round < 5; round++) await user.start();
		daemon.clock.advance(MINUTE_MS + 1);
		expect(await start(user)).toEqual(quotaExceeded);
		expect((await user.call("GET", "/user/quota")).body).toMatchObject({
			running_session_limit: 3,
			running_sessions_used: 5,
			running_sessions_remaining: 0,
		});
	});

	test("without the API's feature serve no start through the API", async () => {
		await using daemon = await startContractDaemon({
			plans: [aPlan("api", { runningSessionLimit: 1 }), aPlan("hand", { features: [] })],
		});
		const user = await daemon.addUser({ plan: "api", furtherPlans: ["hand"] });
		expect((await start(user))["status"]).toBe("ok");
		expect(await start(user)).toEqual(quotaExceeded);
		expect(await user.startByHand()).toMatch(/^brl-v-v7-/);
	});
});
