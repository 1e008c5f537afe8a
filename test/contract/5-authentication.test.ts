/** Spec 5: who may call, by the key in the Authorization header. Every endpoint but the catalog is asked each time. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseEndOfDay } from "../../src/accounts/end-of-day.ts";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";

const DAY_MS = 86_400_000;

const id = "brl-v-v7-00000000000000000000";
const endpoints = [
	["POST", "/web/sessions"],
	["GET", "/web/sessions"],
	["GET", `/web/sessions/${id}`],
	["DELETE", `/web/sessions/${id}`],
	["GET", "/web/usage"],
	["GET", "/user/quota"],
] as const;

const notLoggedIn = {
	http: 200,
	body: { status: "denied", message: expect.stringMatching(/^[A-Z].*\.$/), loggedIn: false },
};

let daemon: ContractDaemon;
let user: User;

beforeAll(async () => {
	daemon = await startContractDaemon();
	user = await daemon.addUser();
});

afterAll(() => daemon[Symbol.asyncDispose]());

const withHeader = (authorization: string) => ({ headers: { authorization } });

describe.each(endpoints)("%s %s", (method, path) => {
	test("1: goes through with the key in the header", async () => {
		const { body } = await user.call(method, path);
		expect(body).not.toHaveProperty("loggedIn");
		expect(body["status"]).toBe(path.includes(id) ? "denied" : "ok");
	});

	test("1, 6: is denied without a key", async () => {
		const { http, body } = await daemon.request(path, { method });
		expect({ http, body }).toEqual(notLoggedIn);
	});

	test.each([
		["empty", () => ""],
		["the key alone", (key: string) => key],
		["the scheme alone", () => "Bearer"],
		["the scheme and a blank", () => "Bearer "],
		["the scheme Basic", (key: string) => `Basic ${btoa(`${key}:`)}`],
		["the scheme Token", (key: string) => `Token ${key}`],
		["another scheme that ends alike", (key: string) => `XBearer ${key}`],
		["two keys", (key: string) => `Bearer ${key} ${key}`],
		["a list", (key: string) => `Bearer ${key}, Bearer ${key}`],
		["quotes", (key: string) => `Bearer "${key}"`],
	])("6: is denied when the header is %s", async (_, header) => {
		const { http, body } = await daemon.request(path, { method, ...withHeader(header(user.key)) });
		expect({ http, body }).toEqual(notLoggedIn);
	});

	test.each([
		["unknown", () => `brl-k-v7-${"x".repeat(43)}`],
		["of another form", () => "secret"],
		["cut short", (key: string) => key.slice(0, -1)],
		["too long", (key: string) => `${key}x`],
		["in capitals", (key: string) => key.toUpperCase()],
		["without its prefix", (key: string) => key.slice("brl-k-v7-".length)],
		["huge", () => "x".repeat(10_000)],
	])("6: is denied when the key is %s", async (_, key) => {
		const { http, body } = await daemon.request(path, { method, ...withHeader(`Bearer ${key(user.key)}`) });
		expect({ http, body }).toEqual(notLoggedIn);
	});

	test("3: does not read the key from the URL", async () => {
		for (const name of ["key", "api_key", "apiKey", "token", "access_token", "authorization"]) {
			const { http, body } = await daemon.request(`${path}?${name}=${user.key}`, { method });
			expect({ http, body }).toEqual(notLoggedIn);
		}
	});

	test("3: does not read the key from a cookie, another header or the body", async () => {
		const headers = {
			cookie: `key=${user.key}`,
			"x-api-key": user.key,
			"proxy-authorization": `Bearer ${user.key}`,
		};
		const body =
			method === "POST" ? { body: JSON.stringify({ key: user.key, authorization: user.key }) } : {};
		const answer = await daemon.request(path, { method, headers, ...body });
		expect(answer.body).toEqual(notLoggedIn.body);
	});

	test("6: is denied with a revoked key, from the next request on", async () => {
		const revoked = await daemon.addUser();
		expect((await revoked.call("GET", "/web/sessions")).body["status"]).toBe("ok");
		daemon.appKeys.revoke(revoked.keyId, daemon.clock.now());
		const { http, body } = await revoked.call(method, path);
		expect({ http, body }).toEqual(notLoggedIn);
	});

	test("7: is denied while the account's e-mail address is not confirmed", async () => {
		const unverified = await daemon.addUser({ verified: false });
		const { http, body } = await unverified.call(method, path);
		expect({ http, body }).toEqual({
			http: 200,
			body: { status: "denied", message: expect.stringMatching(/\S/), verified: false },
		});
		daemon.accounts.verify(unverified.account.email, daemon.clock.now());
		expect((await unverified.call(method, path)).body).not.toHaveProperty("verified");
	});

	test("8: needs a plan with API access", async () => {
		const free = await daemon.addUser({ plan: "free" });
		const { http, body } = await free.call(method, path);
		expect({ http, body }).toEqual({
			http: 200,
			body: { status: "upgrade", message: expect.stringMatching(/\S/) },
		});
	});
});

test("1: the scheme is read in any letter case, and blanks around the key do no harm", async () => {
	for (const header of [`bearer ${user.key}`, `BEARER ${user.key}`, `Bearer   ${user.key}  `])
		expect((await daemon.request("/web/sessions", withHeader(header))).body["status"]).toBe("ok");
});

test("2: keys begin with brl-k-v7-", () => {
	expect(user.key).toMatch(/^brl-k-v7-\w+$/);
});

test("5: a key has its account's rights only: what another account may not see, it may not", async () => {
	const other = await daemon.addUser();
	const started = await user.start();
	expect((await other.call("GET", `/web/sessions/${started}`)).body["status"]).toBe("denied");
	await user.call("DELETE", `/web/sessions/${started}`);
});

test("8: a plan that ends takes API access with it", async () => {
	const now = daemon.clock.now();
	const trial = await daemon.addUser({ plan: "free" });
	daemon.accounts.subscribe(trial.account.email, "team", { now, endsAt: now });
	expect((await trial.call("GET", "/web/sessions")).body["status"]).toBe("ok");
	daemon.clock.advance(1);
	expect((await trial.call("GET", "/web/sessions")).body["status"]).toBe("upgrade");
});

describe("4: a key expires", () => {
	const statusAfter = async (ms: number, own: ContractDaemon, of: User) => {
		own.clock.advance(ms);
		return (await of.call("GET", "/web/sessions")).body["status"];
	};

	test("at the end of the day that was chosen for it", async () => {
		await using own = await startContractDaemon();
		const expiresAt = parseEndOfDay("2026-03-02", own.clock.now());
		const dated = await own.addUser({ expiresAt });
		expect(await statusAfter(expiresAt - own.clock.now(), own, dated)).toBe("ok");
		expect(await statusAfter(1, own, dated)).toBe("denied");
		expect((await dated.call("GET", "/web/sessions")).body).toEqual(notLoggedIn.body);
	});

	test("after a year without use, counted from its creation", async () => {
		await using own = await startContractDaemon();
		const [used, unused] = [await own.addUser(), await own.addUser()];
		expect(await statusAfter(365 * DAY_MS, own, used)).toBe("ok");
		expect(await statusAfter(1, own, unused)).toBe("denied");
		expect((await unused.call("GET", "/web/sessions")).body).toEqual(notLoggedIn.body);
	});

	test("after a year without use, counted from its last use", async () => {
		await using own = await startContractDaemon();
		const someone = await own.addUser();
		expect(await statusAfter(200 * DAY_MS, own, someone)).toBe("ok");
		expect(await statusAfter(365 * DAY_MS, own, someone)).toBe("ok");
		expect(await statusAfter(365 * DAY_MS + 1, own, someone)).toBe("denied");
	});

	test("on its date even when it was used the day before", async () => {
		await using own = await startContractDaemon();
		const expiresAt = parseEndOfDay("2026-03-10", own.clock.now());
		const dated = await own.addUser({ expiresAt });
		expect(await statusAfter(9 * DAY_MS, own, dated)).toBe("ok");
		expect(await statusAfter(DAY_MS, own, dated)).toBe("denied");
	});
});

test("no key or session token is ever logged", async () => {
	await using own = await startContractDaemon();
	const someone = await own.addUser();
	const { body } = await someone.call("POST", "/web/sessions", {});
	await own.request("/web/sessions", withHeader(`Bearer ${someone.key}x`));
	await own.request(`/web/sessions?key=${someone.key}`);
	await someone.call("DELETE", `/web/sessions/${String(body["id"])}`);
	const token = new URL(String(body["connectUrl"])).searchParams.get("token") ?? "none";
	expect(own.logged.text()).not.toContain(someone.key);
	expect(own.logged.text()).not.toContain(token);
	expect(own.logged.text()).not.toContain("token=");
});
