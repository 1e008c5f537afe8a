/** Spec 1, 4.3 and 5.5: what belongs to one account does not exist for another. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractDaemon, objectIn, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { residentialOf } from "../support/contract-offer.ts";
import { rawAnswer, upgrade } from "../support/raw-socket.ts";

const unknownId = "brl-v-v7-00000000000000000000";

let daemon: ContractDaemon;
let owner: User;
let stranger: User;
/** The owner's sessions, by what they are. */
const ids = new Map<string, string>();

beforeAll(async () => {
	daemon = await startContractDaemon({ residential: residentialOf(null) });
	[owner, stranger] = [await daemon.addUser({ plan: "full" }), await daemon.addUser({ plan: "full" })];
	ids.set("starting", await owner.start({ name: "the owner's own" }));
	ids.set("running", await owner.startRunning({ idempotencyKey: "k" }));
	ids.set("started by hand", await owner.startByHand());
	const ended = await owner.startRunning({ egress: "residential" });
	daemon.move(ended, { up: 1_000, down: 1_000 });
	await owner.call("DELETE", `/web/sessions/${ended}`);
	ids.set("ended", ended);
});

afterAll(() => daemon[Symbol.asyncDispose]());

function idOf(kind: string): string {
	const id = ids.get(kind);
	if (id === undefined) throw new Error(`there is no session that is ${kind}`);
	return id;
}

/** Every byte of the answer but its date and the id, which an answer may repeat. */
async function bytesOf(method: string, path: string, id: string): Promise<string> {
	const request = [
		`${method} /v8${path.replace(":id", id)} HTTP/1.1`,
		"Host: localhost",
		`Authorization: Bearer ${stranger.key}`,
		"Connection: close",
		...(method === "GET" ? [] : ["Content-Length: 0"]),
		"",
		"",
	].join("\r\n");
	return (await rawAnswer(daemon.port, request)).replaceAll(id, "<id>");
}

async function ownersView(): Promise<string[]> {
	const answers = [];
	for (const id of ids.values()) answers.push((await owner.call("GET", `/web/sessions/${id}`)).text);
	for (const path of ["/web/sessions?status=all", "/web/usage", "/user/quota"])
		answers.push((await owner.call("GET", path)).text);
	return answers;
}

describe.each(["starting", "running", "started by hand", "ended"])("a foreign session that is %s", (kind) => {
	test.each([
		["GET", "/web/sessions/:id"],
		["DELETE", "/web/sessions/:id"],
		["POST", "/web/sessions/:id"],
		["PUT", "/web/sessions/:id"],
		["PATCH", "/web/sessions/:id"],
		["GET", "/web/sessions/:id/"],
		["GET", "/web/sessions/:id/downloads/d1"],
		["GET", "/web/sessions/:id/cdp"],
		["GET", "/web/sessions?id=:id"],
		["GET", "/web/usage?session=:id"],
		["GET", "/user/quota?session=:id"],
		["GET", "/image?id=:id"],
	])(
		"is answered by %s %s like one that does not exist, byte for byte, and is not changed",
		async (method, path) => {
			const before = await ownersView();
			const foreign = await bytesOf(method, path, idOf(kind));
			expect(foreign).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"status":/);
			expect(foreign).toBe(await bytesOf(method, path, unknownId));
			expect(await ownersView()).toEqual(before);
		},
	);

	test("has no socket for whoever lacks its own token", async () => {
		const own = await stranger.start();
		const { data } = (await stranger.call("GET", `/web/sessions/${own}`)).body;
		const connectUrl = objectIn({ data }, "data")["connectUrl"];
		const token = new URL(String(connectUrl)).searchParams.get("token");
		await stranger.call("DELETE", `/web/sessions/${own}`);
		const bytes = async (id: string) =>
			(await rawAnswer(daemon.port, upgrade(`/web/${id}/cdp?token=${token}`))).replaceAll(id, "<id>");
		expect(await bytes(idOf(kind))).toBe(await bytes(unknownId));
	});
});

test("every endpoint with an id in it was walked", () => {
	expect(daemon.routes.filter((route) => route.includes(":"))).toEqual([
		"GET /v8/web/sessions/:id",
		"DELETE /v8/web/sessions/:id",
	]);
});

test("the list, usage and quota of an account show nothing of another's", async () => {
	await using own = await startContractDaemon({ residential: residentialOf(null) });
	const [busy, idle] = [await own.addUser({ plan: "full" }), await own.addUser({ plan: "full" })];
	const paths = ["/web/sessions", "/web/sessions?status=all", "/web/usage", "/user/quota"];
	const seenByIdle = async () => {
		const texts = [];
		for (const path of paths) texts.push((await idle.call("GET", path)).text);
		return texts;
	};
	const before = await seenByIdle();
	const first = await busy.startRunning({ egress: "residential", idempotencyKey: "k" });
	own.move(first, { up: 5_000, down: 5_000 });
	await busy.startByHand();
	await busy.call("DELETE", `/web/sessions/${first}`);
	expect(await seenByIdle()).toEqual(before);
	const ownFirst = await idle.start({ idempotencyKey: "k" });
	expect(ownFirst).not.toBe(first);
	const texts = (await seenByIdle()).join("\n");
	for (const secret of [first, busy.account.email, busy.account.firstname, busy.key])
		expect(texts).not.toContain(secret);
});
