/** GET /web/usage and GET /user/quota (spec 4.5): who may ask (spec 5). */
import { describe, expect, test } from "vitest";
import { aPlan, team, UsageFixture } from "../unit/usage/usage-fixture.ts";

describe.each(["/web/usage", "/user/quota"] as const)("GET %s", (path) => {
	test("answers ok with an app key", async () => {
		using fixture = new UsageFixture();
		fixture.subscribe(team);
		expect(await fixture.get(path, fixture.key())).toMatchObject({ status: "ok" });
	});

	test.each([undefined, "brl-k-v7-unknown"])("denies the key %s", async (key) => {
		using fixture = new UsageFixture();
		fixture.subscribe(team);
		expect(await fixture.get(path, key)).toEqual({ status: "denied", loggedIn: false });
	});

	test("asks for an upgrade when no plan includes API access", async () => {
		const basic = aPlan("basic", { features: [] });
		using fixture = new UsageFixture([basic]);
		fixture.subscribe(basic);
		expect(await fixture.get(path, fixture.key())).toEqual({ status: "upgrade" });
	});
});
