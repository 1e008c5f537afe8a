/** Spec 4.1: the start call, its fields and its refusals. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";

let daemon: ContractDaemon;
let user: User;

beforeAll(async () => {
	daemon = await startContractDaemon();
	user = await daemon.addUser({ plan: "wide" });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const start = (body?: unknown) => user.call("POST", "/web/sessions", body);

describe("accepts", () => {
	test.each([
		["no body", undefined],
		["an empty object", {}],
		["white space", " \n"],
		["a name of 64 characters", { name: "n".repeat(64) }],
		["a name of 64 emoji", { name: "🦦".repeat(64) }],
		["the smallest screen", { screen: { width: 320, height: 480 } }],
		["the largest screen", { screen: { width: 1920, height: 1080 } }],
		["an http url", { url: "http://example.org" }],
		["an https url in capitals", { url: "HTTPS://EXAMPLE.ORG/" }],
		["another image", { image: "second" }],
	])("%s", async (_, body) => {
		expect(await start(body)).toMatchObject({ http: 200, body: { status: "ok" } });
	});

	test("a name that is taken: names are no ids", async () => {
		await start({ name: "twice" });
		expect((await start({ name: "twice" })).body).toMatchObject({ status: "ok", name: "twice" });
	});
});

describe("refuses with a message that names the field", () => {
	test.each([
		["name", ""],
		["name", "n".repeat(65)],
		["name", "🦦".repeat(65)],
		["name", 7],
		["name", null],
		// Half an emoji: it cannot be stored, and would be read as another name.
		["name", "\ud83e"],
		["url", "https://example.org/\ud83e"],
		["idempotencyKey", "\ud83e"],
		["url", "file:///etc/passwd"],
		["url", "javascript:alert(1)"],
		["url", "data:text/html,x"],
		["url", "ftp://example.org/"],
		["url", ""],
		["url", "/relative"],
		["url", ["https://example.org"]],
		["screen", { width: 319, height: 480 }],
		["screen", { width: 1921, height: 1080 }],
		["screen", { width: 800, height: 479 }],
		["screen", { width: 800, height: 1081 }],
		["screen", { width: 800.5, height: 600 }],
		["screen", { width: 800 }],
		["screen", { width: 800, height: 600, depth: 24 }],
		["screen", "800x600"],
		["image", 7],
		["image", ""],
		["colour", "red"],
		["toString", "x"],
		["constructor", {}],
	])("%s: %j", async (field, value) => {
		const before = daemon.sessions.list(user.account.id, { all: true, limit: 200 }).length;
		const answer = await start({ [field]: value });
		expect(answer).toMatchObject({ http: 200, body: { status: "denied", code: "invalid_arguments" } });
		expect(answer.body["message"]).toContain(field);
		expect(daemon.sessions.list(user.account.id, { all: true, limit: 200 })).toHaveLength(before);
	});

	test("__proto__, which is a field like any other", async () => {
		const answer = await start('{"__proto__": {"name": "x"}}');
		expect(answer.body).toMatchObject({ status: "denied", code: "invalid_arguments" });
		expect(answer.body["message"]).toContain("__proto__");
	});
});

describe("image_not_supported", () => {
	test.each([
		["does not exist", "netscape"],
		["is not enabled", "off"],
		["has no browser on this machine", "missing"],
		["cannot run API sessions", "by-hand"],
	])("for an image that %s, with the images that can be used", async (_, image) => {
		expect((await start({ image })).body).toEqual({
			status: "denied",
			code: "image_not_supported",
			message: expect.stringContaining(image),
			allowedImages: ["chrome", "second"],
		});
	});

	test("is the service's failure when it has no browser at all", async () => {
		await using empty = await startContractDaemon({ images: [] });
		const { images } = (await empty.request("/image")).body;
		const hasBrowser = JSON.stringify(images).includes('"enabled":true');
		const someone = await empty.addUser();
		const { body } = await someone.call("POST", "/web/sessions", {});
		expect(body).toMatchObject(hasBrowser ? { status: "ok" } : { status: "error", code: "internal_error" });
	});
});

describe("quota_exceeded", () => {
	test("for a fourth session while three are live, and no longer after a stop", async () => {
		const small = await daemon.addUser();
		const ids = [await small.start(), await small.startRunning(), await small.startByHand()];
		const refused = await small.call("POST", "/web/sessions", {});
		expect(refused).toMatchObject({ http: 200, body: { status: "denied", code: "quota_exceeded" } });
		expect(refused.body["message"]).toContain("3");
		await small.call("DELETE", `/web/sessions/${ids[2]}`);
		expect((await small.call("POST", "/web/sessions", {})).body["status"]).toBe("ok");
	});

	test("for all but one of many starts for the last slot at the same time", async () => {
		const small = await daemon.addUser();
		await small.start();
		await small.start();
		const answers = await Promise.all(
			Array.from({ length: 10 }, () => small.call("POST", "/web/sessions", {})),
		);
		expect(answers.filter(({ body }) => body["status"] === "ok")).toHaveLength(1);
		expect(answers.filter(({ body }) => body["code"] === "quota_exceeded")).toHaveLength(9);
	});

	test("after the fields were checked: a wrong field is named even when every slot is taken", async () => {
		const small = await daemon.addUser();
		for (let round = 0; round < 3; round++) await small.start();
		expect((await small.call("POST", "/web/sessions", { name: "" })).body["code"]).toBe("invalid_arguments");
	});
});

describe("internal_error", () => {
	test("while the service shuts down", async () => {
		await using ending = await startContractDaemon();
		const someone = await ending.addUser();
		await ending.sessions.endAll();
		const { body } = await someone.call("POST", "/web/sessions", {});
		expect(body).toMatchObject({
			status: "error",
			code: "internal_error",
			message: expect.stringMatching(/\S/),
		});
	});
});

test("a session whose folder cannot be made ends as error and leaves its slot free", async () => {
	await using full = await startContractDaemon();
	const someone = await full.addUser();
	full.host.onOpen = () => {
		throw new Error("ENOSPC: no space left on device, mkdir '/run/barrel/x'");
	};
	for (let round = 0; round < 5; round++) {
		const id = await someone.start();
		await expect
			.poll(async () => (await someone.call("GET", `/web/sessions/${id}`)).body["data"])
			.toMatchObject({ status: "ended", endedReason: "error" });
	}
});
