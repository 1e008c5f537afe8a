/** Spec 7: every answer is HTTP 200 and its status decides, whatever is sent; a fault says nothing of itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { sendRaw } from "../support/raw-http.ts";

const unknownId = "brl-v-v7-00000000000000000000";
const sentence = expect.stringMatching(/^\S.*[^\s].*\.$/);
const MB = 1024 * 1024;

let daemon: ContractDaemon;
let user: User;

beforeAll(async () => {
	daemon = await startContractDaemon();
	user = await daemon.addUser({ plan: "wide" });
});

afterAll(() => daemon[Symbol.asyncDispose]());

/** After each of these the daemon answers as before. */
async function expectAlive(): Promise<void> {
	expect((await user.call("GET", "/web/sessions?limit=1")).body["status"]).toBe("ok");
}

describe("an unknown path or a wrong method", () => {
	test.each([
		["GET", "/"],
		["GET", ""],
		["GET", "/web"],
		["GET", "/sessions"],
		["GET", "/web/session"],
		["GET", `/web/sessions/${unknownId}/cdp`],
		["GET", `/web/sessions/${unknownId}/downloads/d1`],
		["GET", "/WEB/SESSIONS"],
		["GET", "/web%2Fsessions"],
		["POST", "/image"],
		["PUT", "/web/sessions"],
		["PATCH", "/web/sessions"],
		["DELETE", "/web/sessions"],
		["POST", `/web/sessions/${unknownId}`],
		["PUT", `/web/sessions/${unknownId}`],
		["OPTIONS", "/web/sessions"],
	])("answers status error: %s %s", async (method, path) => {
		const answer = await user.call(method, path, method === "GET" ? undefined : "{");
		expect(answer).toMatchObject({ http: 200, contentType: "application/json; charset=utf-8" });
		expect(answer.body).toEqual({ status: "error", message: sentence });
	});

	test("answers so without a key too, and is no fault", async () => {
		const before = daemon.logged.lines().length;
		expect((await daemon.request("/nothing")).body["status"]).toBe("error");
		expect(daemon.logged.lines()).toHaveLength(before);
	});

	test("does not repeat the query, which might hold a secret", async () => {
		expect((await daemon.request(`/nothing?key=${user.key}`)).text).not.toContain(user.key);
	});
});

describe("a body", () => {
	test.each(["{", "{'name': 1}", "name=x", '{"name":"x",}', "undefined", '{"a":1}{"b":2}', "\u0000", "NaN"])(
		"that is no JSON is denied: %j",
		async (body) => {
			const answer = await user.call("POST", "/web/sessions", body);
			expect(answer).toMatchObject({ http: 200 });
			expect(answer.body).toEqual({ status: "denied", code: "invalid_arguments", message: sentence });
		},
	);

	test.each(["[]", '[{"name":"x"}]', '"text"', "7", "true", "false"])(
		"that is no JSON object is denied: %s",
		async (body) => {
			const answer = await user.call("POST", "/web/sessions", body);
			expect(answer.body).toEqual({ status: "denied", code: "invalid_arguments", message: sentence });
		},
	);

	test("nested very deeply does no harm", async () => {
		const depth = 200_000;
		const answer = await user.call(
			"POST",
			"/web/sessions",
			`{"name":${"[".repeat(depth)}${"]".repeat(depth)}}`,
		);
		expect(answer).toMatchObject({ http: 200, body: { status: "denied", code: "invalid_arguments" } });
		await expectAlive();
	});

	test("that is no UTF-8 does no harm", async () => {
		const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
		const headers = { authorization: `Bearer ${user.key}`, "content-type": "application/json" };
		const answer = await daemon.request("/web/sessions", { method: "POST", headers, body });
		expect(answer).toMatchObject({ http: 200, body: { status: "denied", code: "invalid_arguments" } });
	});

	test.each([
		"text/plain",
		"application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x",
		"image/png",
		"nonsense",
	])("of the content type %s is read as the JSON that it is, or denied", async (contentType) => {
		const headers = { authorization: `Bearer ${user.key}`, "content-type": contentType };
		const send = (body: string) => daemon.request("/web/sessions", { method: "POST", headers, body });
		expect((await send('{"name":"typed"}')).body).toMatchObject({ status: "ok", name: "typed" });
		expect(await send("name=typed")).toMatchObject({
			http: 200,
			body: { status: "denied", code: "invalid_arguments" },
		});
	});

	test("of just under 1 MB is read", async () => {
		const padding = " ".repeat(MB - '{"name":"large"}'.length);
		expect((await user.call("POST", "/web/sessions", `{"name":"large"}${padding}`)).body["status"]).toBe(
			"ok",
		);
	});

	test.each([MB + 1, 2 * MB, 20 * MB])("of %d bytes is denied, and the daemon lives on", async (length) => {
		const answer = await user.call("POST", "/web/sessions", `{"name":"${"x".repeat(length - 11)}"}`);
		expect(answer).toMatchObject({ http: 200 });
		expect(answer.body).toEqual({ status: "denied", code: "invalid_arguments", message: sentence });
		await expectAlive();
	});

	const post = (...headers: string[]) =>
		[
			`POST /v8/web/sessions HTTP/1.1`,
			"Host: localhost",
			`Authorization: Bearer ${user.key}`,
			...headers,
			"",
			"",
		].join("\r\n");

	test("of 2 MB in chunks, its length untold, is denied", async () => {
		const chunk = `${(64 * 1024).toString(16)}\r\n${"x".repeat(64 * 1024)}\r\n`;
		const parts = [post("Transfer-Encoding: chunked"), ...Array<string>(32).fill(chunk), "0\r\n\r\n"];
		const received = await sendRaw(daemon.port, parts, (text) => text.includes("}"));
		expect(received).toMatch(/^HTTP\/1\.1 200 /);
		expect(received).toContain('"code":"invalid_arguments"');
		await expectAlive();
	});

	test("that is announced as too large is denied before it is sent", async () => {
		const received = await sendRaw(daemon.port, post("Content-Length: 2000000"), (text) =>
			text.includes("}"),
		);
		expect(received).toMatch(/^HTTP\/1\.1 200 /);
		expect(received).toContain('"code":"invalid_arguments"');
		await expectAlive();
	});

	test("that never comes to its end does not hold up anybody else", async () => {
		const hanging = sendRaw(daemon.port, [post("Content-Length: 100"), "{"]).catch(() => "given up");
		await expectAlive();
		expect(await hanging).toBeDefined();
	}, 15_000);

	test("of 2 MB without a key is denied for the key", async () => {
		const answer = await daemon.request("/web/sessions", { method: "POST", body: "x".repeat(2 * MB) });
		expect(answer).toMatchObject({ http: 200, body: { status: "denied", loggedIn: false } });
		await expectAlive();
	});
});

describe("what is hardly HTTP", () => {
	test.each([
		["no HTTP at all", "hello\r\n\r\n"],
		["a host that is no host", "GET /v8/image HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n"],
		["a host with a path", "GET /v8/image HTTP/1.1\r\nHost: a/b?c#d\r\nConnection: close\r\n\r\n"],
		["an empty host", "GET /v8/image HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"],
		["no host", "GET /v8/image HTTP/1.0\r\n\r\n"],
		[
			"a path that begins with two slashes",
			"GET //v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		],
		["a path of slashes", "GET /// HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
		[
			"an absolute target",
			"GET http://other/v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		],
		["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
		["CONNECT", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"],
		["a method of one's own", "BREW /v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
		[
			"a body where none is meant to be",
			"GET /v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1\r\n\r\n{",
		],
		["HEAD", "HEAD /v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
		["TRACE", "TRACE /v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
		[
			"a length that is no number",
			"POST /v8/web/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
		],
		["headers of 100 KB", `GET /v8/image HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}\r\n\r\n`],
		[
			"an upgrade to nowhere",
			"GET /v8/image HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		],
		[
			"an upgrade with a bad host",
			"GET /web/a/cdp HTTP/1.1\r\nHost: [\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		],
	])("is answered or cut off, and the daemon lives on: %s", async (_, request) => {
		const received = await sendRaw(daemon.port, request);
		expect(received).toMatch(/^(?:$|HTTP\/1\.1 )/);
		await expectAlive();
	});
});

test.each(["h2c", "TLS/1.0", "h2c, websocket-of-old"])(
	"a client that offers to go on in %s is answered as if it had not",
	async (protocol) => {
		const body = '{"name":"offered"}';
		const request = [
			"POST /v8/web/sessions HTTP/1.1",
			"Host: localhost",
			"Connection: Upgrade, HTTP2-Settings",
			`Upgrade: ${protocol}`,
			"HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA",
			`Authorization: Bearer ${user.key}`,
			`Content-Length: ${body.length}`,
			"",
			body,
		].join("\r\n");
		const received = await sendRaw(daemon.port, request, (text) => text.includes('"quota"'));
		expect(received).toMatch(/^HTTP\/1\.1 200 /);
		expect(received).toContain('"name":"offered"');
	},
);

describe("a fault", () => {
	let broken: ContractDaemon;
	let someone: User;

	beforeEach(async () => {
		const fresh = await startContractDaemon();
		broken = fresh;
		someone = await fresh.addUser();
		fresh.store.command("ALTER TABLE sessions RENAME TO hidden_away").run();
		return async () => {
			fresh.store.command("ALTER TABLE hidden_away RENAME TO sessions").run();
			await fresh[Symbol.asyncDispose]();
		};
	});

	test.each([
		["POST", "/web/sessions"],
		["GET", "/web/sessions"],
		["GET", `/web/sessions/${unknownId}`],
		["DELETE", `/web/sessions/${unknownId}`],
		["GET", "/web/usage"],
		["GET", "/user/quota"],
	])(
		"in %s %s is status error with internal_error, tells nothing of its cause, and is logged once",
		async (method, path) => {
			const answer = await someone.call(method, path);
			expect(answer).toMatchObject({ http: 200, contentType: "application/json; charset=utf-8" });
			expect(answer.body).toEqual({ status: "error", code: "internal_error", message: sentence });
			expect(answer.text).not.toMatch(/sqlite|table|sessions|hidden|stack|\/tmp|\.ts/i);
			const errors = broken.logged.lines().filter(({ level }) => level >= 50);
			expect(errors).toHaveLength(1);
			expect(JSON.stringify(errors[0])).toContain("no such table");
			expect(broken.logged.text()).not.toContain(someone.key);
		},
	);
});

test("every refusal has a status and a message of one sentence", async () => {
	const answers = [
		await daemon.request("/web/sessions"),
		await user.call("GET", `/web/sessions/${unknownId}`),
		await user.call("GET", "/nothing"),
		await user.call("GET", "/web/sessions?limit=0"),
		await user.call("POST", "/web/sessions", { name: "" }),
		await user.call("POST", "/web/sessions", { image: "netscape" }),
		await user.call("POST", "/web/sessions", "{"),
	];
	for (const { body } of answers) {
		expect(body["status"]).toMatch(/^(?:denied|upgrade|error)$/);
		expect(body["message"]).toEqual(sentence);
		expect(String(body["message"])).not.toContain("\n");
	}
});
