/** Spec 7, rule 2: the language of messages follows Accept-Language and defaults to English. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";

let daemon: ContractDaemon;
let user: User;
let modest: User;
let unverified: User;

beforeAll(async () => {
	daemon = await startContractDaemon({ starts: { perMinute: 1, perHour: 9, perDay: 9 } });
	[user, modest] = [await daemon.addUser({ plan: "wide" }), await daemon.addUser({ plan: "free" })];
	unverified = await daemon.addUser({ verified: false });
	await user.start();
});

afterAll(() => daemon[Symbol.asyncDispose]());

function ask(
	language: string | undefined,
	path: string,
	init: { method?: string; key?: string; body?: string } = {},
) {
	const headers = {
		...(language === undefined ? {} : { "accept-language": language }),
		...(init.key === undefined ? {} : { authorization: `Bearer ${init.key}` }),
	};
	const body = init.body === undefined ? {} : { body: init.body };
	return daemon.request(path, { method: init.method ?? "GET", headers, ...body });
}

async function languageFor(header: string | undefined): Promise<string | undefined> {
	return (await ask(header, "/web/sessions")).headers["content-language"];
}

describe("the language", () => {
	test.each([
		[undefined, "en"],
		["", "en"],
		["*", "en"],
		["en", "en"],
		["de", "de"],
		["fr", "fr"],
		["es", "es"],
		["de-AT", "de"],
		["ES-mx", "es"],
		["pt", "en"],
		["tlh, de;q=0.2", "de"],
		["en;q=0.1, fr;q=0.9", "fr"],
		["de;q=0, fr;q=0.1", "fr"],
		["nonsense;;;q=x", "en"],
		["d".repeat(5_000), "en"],
	])("asked for with %j is %s", async (header, language) => {
		expect(await languageFor(header)).toBe(language);
	});

	test("is told to caches, together with what it depends on", async () => {
		const { headers } = await ask("fr", "/web/sessions");
		expect(headers).toMatchObject({
			"content-language": "fr",
			vary: "Accept-Language",
			"cache-control": "no-store",
		});
	});
});

describe("in every language the refusal is the same but for its message", () => {
	const start = (body: string) => ({ method: "POST", key: user.key, body });
	const refusals: [string, () => [string, Parameters<typeof ask>[2]]][] = [
		["no key", () => ["/web/sessions", {}]],
		["a wrong key", () => ["/web/usage", { key: "brl-k-v7-wrong" }]],
		["an unconfirmed address", () => ["/user/quota", { key: unverified.key }]],
		["a plan without API access", () => ["/user/quota", { key: modest.key }]],
		["an unknown session", () => ["/web/sessions/x", { key: user.key }]],
		["an unknown path", () => ["/nothing", {}]],
		["a wrong limit", () => ["/web/sessions?limit=0", { key: user.key }]],
		["no JSON", () => ["/web/sessions", start("{")]],
		["an unknown field", () => ["/web/sessions", start('{"colour":1}')]],
		["a wrong name", () => ["/web/sessions", start('{"name":""}')]],
		["an unknown image", () => ["/web/sessions", start('{"image":"netscape"}')]],
		["a restricted image", () => ["/web/sessions", start('{"image":"restricted"}')]],
		["a plan without locations", () => ["/web/sessions", start('{"country":"de"}')]],
		["too many starts", () => ["/web/sessions", start("{}")]],
	];

	test.each(refusals)("%s", async (_, call) => {
		const [path, init] = call();
		const { message: english, ...rest } = (await ask("en", path, init)).body;
		expect(rest["status"]).toMatch(/^(?:denied|upgrade|error)$/);
		const messages = new Set([english]);
		for (const language of ["de", "fr", "es"]) {
			const { message, ...fields } = (await ask(language, path, init)).body;
			expect(fields).toEqual(rest);
			expect(message).toMatch(/^\S[^\n]*[.!]$/);
			messages.add(message);
		}
		expect(messages.size).toBe(4);
	});
});

test("a fault has its sentence in the caller's language too", async () => {
	await using broken = await startContractDaemon();
	const someone = await broken.addUser();
	broken.store.command("ALTER TABLE sessions RENAME TO hidden_away").run();
	const headers = { authorization: `Bearer ${someone.key}`, "accept-language": "es" };
	const answer = await broken.request("/web/sessions", { headers });
	broken.store.command("ALTER TABLE hidden_away RENAME TO sessions").run();
	expect(answer.headers["content-language"]).toBe("es");
	expect(answer.body).toMatchObject({ status: "error", code: "internal_error" });
});
