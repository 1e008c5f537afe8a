/** Spec 4.7: the catalog needs no key. Its fields are in 2.5. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon } from "../support/contract-daemon.ts";

let daemon: ContractDaemon;

beforeAll(async () => {
	daemon = await startContractDaemon();
});

afterAll(() => daemon[Symbol.asyncDispose]());

test.each([
	["without a key", {}],
	["with a wrong key", { authorization: "Bearer brl-k-v7-wrong" }],
	["with another scheme", { authorization: "Basic YTpi" }],
])("answers %s", async (_, headers) => {
	const answer = await daemon.request("/image", { headers });
	expect(answer).toMatchObject({
		http: 200,
		body: { status: "ok" },
		contentType: "application/json; charset=utf-8",
	});
});

test("takes no notice of parameters", async () => {
	expect(await daemon.request("/image?limit=abc&id=chrome")).toEqual(await daemon.request("/image"));
});
