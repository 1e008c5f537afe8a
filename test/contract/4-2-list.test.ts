/** Spec 4.2: the list. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	type ContractDaemon,
	objectsIn,
	startContractDaemon,
	type User,
} from "../support/contract-daemon.ts";

const DAY_MS = 86_400_000;

async function ids(user: User, query = ""): Promise<unknown[]> {
	return objectsIn((await user.call("GET", `/web/sessions${query}`)).body, "data").map(({ id }) => id);
}

describe("the sessions in it", () => {
	test("are none at first", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		expect((await user.call("GET", "/web/sessions")).body).toEqual({ status: "ok", data: [] });
	});

	test("are starting or running, newest first, and with status=all ended ones too", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const first = await user.startRunning();
		daemon.clock.advance(1);
		const second = await user.startRunning();
		const third = await user.start();
		await user.call("DELETE", `/web/sessions/${second}`);
		expect(await ids(user)).toEqual([third, first]);
		expect(await ids(user, "?status=all")).toEqual([third, second, first]);
	});

	test("are those that ended in the last 30 days", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const old = await user.start();
		await user.call("DELETE", `/web/sessions/${old}`);
		daemon.clock.advance(1);
		const recent = await user.start();
		await user.call("DELETE", `/web/sessions/${recent}`);
		daemon.clock.advance(30 * DAY_MS);
		expect(await ids(user, "?status=all")).toEqual([recent]);
		expect((await user.call("GET", `/web/sessions/${old}`)).body["status"]).toBe("ok");
	});

	test("are none that were started by hand", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const byHand = await user.startByHand();
		expect(await ids(user, "?status=all")).toEqual([]);
		await user.call("DELETE", `/web/sessions/${byHand}`);
		expect(await ids(user, "?status=all")).toEqual([]);
	});

	test("are none of another account", async () => {
		await using daemon = await startContractDaemon();
		const [user, other] = [await daemon.addUser(), await daemon.addUser()];
		await user.start();
		expect(await ids(other, "?status=all")).toEqual([]);
	});
});

describe("its parameters", () => {
	let daemon: ContractDaemon;
	let user: User;

	beforeAll(async () => {
		daemon = await startContractDaemon();
		user = await daemon.addUser({ plan: "wide" });
		for (let round = 0; round < 205; round++)
			await daemon.sessions.start({ accountId: user.account.id, appKeyId: null, startedByKind: "agent" }, {});
	});

	afterAll(() => daemon[Symbol.asyncDispose]());

	test.each([
		["", 50],
		["?limit=1", 1],
		["?limit=200", 200],
		["?status=all", 50],
		["?status=all&limit=2", 2],
		["?limit=3&unknown=x", 3],
	])("%j lists %d sessions", async (query, count) => {
		expect(await ids(user, query)).toHaveLength(count);
	});

	test.each([
		"0",
		"201",
		"-1",
		"1.5",
		"abc",
		"",
		"1e2",
		"0x10",
		"+5",
		"%205",
		"99999999999999999999",
		"١",
		"NaN",
		"null",
	])("limit=%s is refused by name", async (limit) => {
		const { http, body } = await user.call("GET", `/web/sessions?limit=${limit}`);
		expect(http).toBe(200);
		expect(body).toEqual({
			status: "denied",
			code: "invalid_arguments",
			message: expect.stringContaining("limit"),
		});
	});

	test.each(["other", "ALL", "running", "ended", "", "all,running"])(
		"status=%s is refused by name",
		async (status) => {
			const { body } = await user.call("GET", `/web/sessions?status=${status}`);
			expect(body).toEqual({
				status: "denied",
				code: "invalid_arguments",
				message: expect.stringContaining("status"),
			});
		},
	);
});
