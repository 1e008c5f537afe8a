/** Spec 4.1: country, egress and proxy, how they combine, and what a plan has to include for them and for an image. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { OPERATOR_SECRET, residentialOf } from "../support/contract-offer.ts";

let daemon: ContractDaemon;
let user: User;
let modest: User;

beforeAll(async () => {
	daemon = await startContractDaemon({ residential: residentialOf(["de", "us"]) });
	[user, modest] = [await daemon.addUser({ plan: "full" }), await daemon.addUser({ plan: "team" })];
});

afterAll(() => daemon[Symbol.asyncDispose]());

const start = (body: unknown, by = user) => by.call("POST", "/web/sessions", body);

async function exitOf(body: object): Promise<{ kind: string; proxy?: string; user?: string | undefined }> {
	const id = await user.start(body);
	await daemon.host.browserOf(id);
	const exit = daemon.exitOf(id);
	if (exit.kind === "direct") return { kind: exit.kind };
	return { kind: exit.kind, proxy: exit.upstream.toString(), user: exit.upstream.credentials()?.user };
}

async function liveOf(someone: User): Promise<unknown> {
	return (await someone.call("GET", "/user/quota")).body["running_sessions_used"];
}

async function expectRefused(body: object, answer: object, by = user): Promise<void> {
	const before = await liveOf(by);
	expect((await start(body, by)).body).toEqual({
		message: expect.stringMatching(/^[A-Za-z].*\.$/),
		...answer,
	});
	expect(await liveOf(by)).toBe(before);
}

describe("country", () => {
	test("left out, the session uses the service's own connection", async () => {
		expect(await exitOf({})).toEqual({ kind: "direct" });
	});

	test.each([
		["de", "fra"],
		["de-fra", "fra"],
		["de-ber", "ber"],
		["us", "nyc"],
	])("%s leads through %s", async (country, host) => {
		expect(await exitOf({ country })).toEqual({
			kind: "location",
			proxy: `http://***@${host}.operator.example:3128`,
			user: "operator",
		});
	});

	test("takes every code that the catalog shows", async () => {
		const { vpnLocations } = (await daemon.request("/image")).body;
		const codes = JSON.stringify(vpnLocations).matchAll(/"code":"([^"]+)"/g);
		for (const [, country] of codes) expect((await start({ country })).body).toMatchObject({ status: "ok" });
	});

	test.each(["fr", "de-muc", "", "DE", "d", "deu", "de-", "germany", "de fra", "toString", 49, null, ["de"]])(
		"%j is refused by name",
		(country) =>
			expectRefused(
				{ country },
				{ status: "denied", code: "invalid_arguments", message: expect.stringContaining("country") },
			),
	);
});

describe("egress", () => {
	test("residential leads through a residential connection of the session's own", async () => {
		const [first, second] = [
			await exitOf({ egress: "residential", country: "us" }),
			await exitOf({ egress: "residential", country: "us" }),
		];
		expect(first).toMatchObject({
			kind: "residential",
			proxy: expect.stringContaining("residential.operator"),
		});
		expect(first.user).toMatch(/^operator-us-brl-v-v7-\w{20}$/);
		expect(second.user).not.toBe(first.user);
	});

	test("residential without a country leads somewhere", async () => {
		expect(await exitOf({ egress: "residential" })).toMatchObject({ kind: "residential" });
	});

	test.each(["direct", "Residential", "", "vpn", null, true, {}])("%j is refused by name", (egress) =>
		expectRefused(
			{ egress },
			{ status: "denied", code: "invalid_arguments", message: expect.stringContaining("egress") },
		),
	);

	test.each(["fr", "de-fra"])("residential in %s, which is not among its countries, is refused", (country) =>
		expectRefused(
			{ egress: "residential", country },
			{ status: "denied", code: "invalid_arguments", message: expect.stringContaining(country) },
		),
	);

	test("residential is refused where nothing residential is configured", async () => {
		await using without = await startContractDaemon();
		const someone = await without.addUser({ plan: "full" });
		expect((await start({ egress: "residential" }, someone)).body).toEqual({
			status: "denied",
			code: "invalid_arguments",
			message: expect.stringContaining("egress"),
		});
	});

	test("residential takes every country where all can be reached", async () => {
		await using everywhere = await startContractDaemon({ residential: residentialOf(null) });
		const someone = await everywhere.addUser({ plan: "full" });
		for (const country of ["fr", "jp"])
			expect((await start({ egress: "residential", country }, someone)).body["status"]).toBe("ok");
		expect((await start({ egress: "residential", country: "de-fra" }, someone)).body["code"]).toBe(
			"invalid_arguments",
		);
	});
});

describe("proxy", () => {
	test.each(["http", "https", "socks4", "socks5"])("of the protocol %s is used", async (protocol) => {
		expect(await exitOf({ proxy: `${protocol}://proxy.example:8080` })).toMatchObject({
			kind: "own_proxy",
			proxy: `${protocol}://proxy.example:8080`,
		});
	});

	test("with user and password is used with them, and neither is shown or logged", async () => {
		const body = { proxy: "socks5://someone:pa%3Ass@proxy.example:1080" };
		const answer = await start(body);
		const id = String(answer.body["id"]);
		await daemon.host.browserOf(id);
		const exit = daemon.exitOf(id);
		expect(exit.kind === "direct" ? undefined : exit.upstream.credentials()).toEqual({
			user: "someone",
			password: "pa:ss",
		});
		const shown = [answer.text, (await user.call("GET", `/web/sessions/${id}`)).text, daemon.logged.text()];
		expect(shown.join("\n")).not.toMatch(/someone|pa(?:%3A|:)ss|proxy\.example/);
	});

	test("at a public IP address is used", async () => {
		expect(await exitOf({ proxy: "http://93.184.216.34:8080" })).toMatchObject({ kind: "own_proxy" });
	});

	test.each([
		"",
		"proxy.example:8080",
		"ftp://proxy.example:21",
		"socks://proxy.example:1080",
		"http://proxy.example",
		"http://proxy.example:0",
		"http://proxy.example:65536",
		"http://proxy.example:8080/path",
		"http://proxy.example:8080?x=1",
		"http://user:%zz@proxy.example:8080",
		"http://:8080",
		"http://nowhere.example:8080",
		`http://${"p".repeat(3_000)}:80`,
		7,
		null,
		{ host: "proxy.example" },
	])("%j is refused as malformed, by name", (proxy) =>
		expectRefused(
			{ proxy },
			{ status: "denied", code: "invalid_arguments", message: expect.stringContaining("proxy must be") },
		),
	);

	test.each([
		"http://127.0.0.1:8080",
		"http://10.0.0.1:8080",
		"socks5://192.168.1.1:1080",
		"http://169.254.169.254:80",
		"http://[::1]:8080",
		"http://[fd00::1]:8080",
		"http://[::ffff:10.0.0.1]:8080",
		"http://0x7f000001:8080",
		"http://localhost:8080",
		"http://printer.local:8080",
		"http://internal.example:8080",
		"http://rebinding.example:8080",
	])("%s is refused as private or internal", (proxy) =>
		expectRefused(
			{ proxy },
			{ status: "denied", code: "invalid_arguments", message: expect.stringMatching(/^proxy .*private/) },
		),
	);

	test.each([{ country: "de" }, { egress: "residential" }, { country: "de", egress: "residential" }])(
		"cannot be combined with %j",
		(others) =>
			expectRefused(
				{ proxy: "http://proxy.example:8080", ...others },
				{
					status: "denied",
					code: "invalid_arguments",
					message: expect.stringMatching(/combined with proxy/),
				},
			),
	);
});

describe("a plan that lacks the option is to be upgraded", () => {
	test.each([
		["country", { country: "de" }],
		["proxy", { proxy: "http://proxy.example:8080" }],
		["egress", { egress: "residential" }],
	])("%s", (field, body) =>
		expectRefused(
			body,
			{ status: "upgrade", code: "quota_exceeded", message: expect.stringContaining(field) },
			modest,
		),
	);

	test("and a wrong value is named before that", async () => {
		expect((await start({ country: "xx" }, modest)).body["code"]).toBe("invalid_arguments");
	});

	test("unless a further subscription has it: a data pack opens residential connections", async () => {
		const someone = await daemon.addUser({ plan: "team", furtherPlans: ["pack"] });
		expect((await start({ egress: "residential" }, someone)).body["status"]).toBe("ok");
		expect((await start({ country: "de" }, someone)).body["status"]).toBe("upgrade");
	});
});

describe("image_restricted", () => {
	test("for an image that the plan cannot start, with the images that it can", () =>
		expectRefused(
			{ image: "restricted" },
			{
				status: "upgrade",
				code: "image_restricted",
				message: expect.stringContaining("restricted"),
				allowedImages: ["chrome", "second"],
			},
			modest,
		));

	test("not for a plan that has restricted images", async () => {
		expect((await start({ image: "restricted" })).body).toMatchObject({ status: "ok", image: "restricted" });
		expect((await start({ image: "netscape" })).body).toMatchObject({
			code: "image_not_supported",
			allowedImages: ["chrome", "second", "restricted"],
		});
	});

	test("not for one that nobody can start", async () => {
		expect((await start({ image: "by-hand" }, modest)).body["code"]).toBe("image_not_supported");
	});
});

test("no credential of the operator is in any answer or in the log", () => {
	// Every answer is searched for it as it comes in: test/support/contract-answer.ts.
	expect(daemon.logged.text()).not.toContain(OPERATOR_SECRET);
	expect(daemon.logged.text()).not.toContain("operator.example");
});
