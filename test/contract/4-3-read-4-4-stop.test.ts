/** Spec 4.3 and 4.4: reading and stopping a session. What they show and do is in 2.2 and 3; here, whose they are. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";

const unknownId = "brl-v-v7-00000000000000000000";

let daemon: ContractDaemon;
let owner: User;
let stranger: User;
let running: string;
let ended: string;
let byHand: string;

beforeAll(async () => {
	daemon = await startContractDaemon();
	[owner, stranger] = [await daemon.addUser(), await daemon.addUser()];
	running = await owner.startRunning();
	byHand = await owner.startByHand();
	ended = await owner.start();
	await owner.call("DELETE", `/web/sessions/${ended}`);
});

afterAll(() => daemon[Symbol.asyncDispose]());

test("a read answers ok and one session", async () => {
	const { http, body } = await owner.call("GET", `/web/sessions/${running}`);
	expect(http).toBe(200);
	expect(Object.keys(body)).toEqual(["status", "data"]);
	expect(body).toMatchObject({ status: "ok", data: { id: running } });
});

test("a read finds sessions started by hand, with a connectUrl to attach by", async () => {
	const { body } = await owner.call("GET", `/web/sessions/${byHand}`);
	expect(body).toMatchObject({
		data: { startedByKind: "app", connectUrl: expect.stringMatching(/^ws:.*token=/) },
	});
});

test("a read finds ended sessions", async () => {
	expect((await owner.call("GET", `/web/sessions/${ended}`)).body).toMatchObject({
		status: "ok",
		data: { status: "ended" },
	});
});

describe.each(["GET", "DELETE"])("%s", (method) => {
	const odd = [
		"x",
		"brl-v-v7-",
		`${unknownId}0`,
		unknownId.toUpperCase(),
		"..%2f..%2fetc%2fpasswd",
		"%00",
		"%27%20OR%201%3D1--",
		"%F0%9F%A6%A6",
		"%E0%A4%A",
		"%",
		"a".repeat(5_000),
	];

	test.each(odd)("of the id %s is denied as for any unknown id", async (id) => {
		const unknown = await owner.call(method, `/web/sessions/${unknownId}`);
		expect(unknown).toMatchObject({
			http: 200,
			body: { status: "denied", message: expect.stringMatching(/\S/) },
		});
		expect(await owner.call(method, `/web/sessions/${id}`)).toEqual(unknown);
	});

	test("of a foreign session answers exactly as for an unknown id, and changes nothing", async () => {
		const unknown = await stranger.call(method, `/web/sessions/${unknownId}`);
		for (const id of [running, ended, byHand]) {
			const before = await owner.call("GET", `/web/sessions/${id}`);
			expect(await stranger.call(method, `/web/sessions/${id}`)).toEqual(unknown);
			expect(await owner.call("GET", `/web/sessions/${id}`)).toEqual(before);
		}
	});
});

test("a stop with a body, of whatever kind, is a stop", async () => {
	for (const body of ["{", "[]", { id: running }]) {
		const id = await owner.start();
		expect((await owner.call("DELETE", `/web/sessions/${id}`, body)).body).toEqual({ status: "ok" });
	}
});
