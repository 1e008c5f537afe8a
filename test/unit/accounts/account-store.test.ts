import { describe, expect, test } from "vitest";
import { OperatorError } from "../../../src/base/errors.ts";
import { text } from "../../../src/store/columns.ts";
import { AccountsFixture, ada, DAY_MS, NOW, plans } from "./accounts.ts";

describe("adding an account", () => {
	test("trims the e-mail address and keeps its spelling", async () => {
		using fixture = new AccountsFixture();
		const account = await fixture.accounts.add({ ...ada, email: "  Ada@Example.org\n" }, NOW);
		expect(account).toEqual({
			id: account.id,
			email: "Ada@Example.org",
			firstname: "Ada",
			lastname: "Lovelace",
			verified: true,
			createdAt: NOW,
		});
		expect(fixture.accounts.find(account.id)).toEqual(account);
		expect(fixture.accounts.findByEmail(" ada@EXAMPLE.org ")).toEqual(account);
	});

	test("refuses an address that differs only in case", async () => {
		using fixture = new AccountsFixture();
		await fixture.accounts.add(ada, NOW);
		await expect(fixture.accounts.add({ ...ada, email: "ADA@example.ORG" }, NOW)).rejects.toThrow(
			"there is an account with the e-mail address Ada@Example.org already",
		);
	});

	test("lets one of two simultaneous additions of the same address through", async () => {
		using fixture = new AccountsFixture();
		const results = await Promise.allSettled([
			fixture.accounts.add(ada, NOW),
			fixture.accounts.add(ada, NOW),
		]);
		expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
		expect(fixture.accounts.list()).toHaveLength(1);
	});

	test.each([
		"",
		"ada",
		"ada@",
		"@example.org",
		"a da@example.org",
		"a@b@c",
		"ä@example.org",
		`${"a".repeat(250)}@b.org`,
	])("refuses %j as an e-mail address", async (email) => {
		using fixture = new AccountsFixture();
		await expect(fixture.accounts.add({ ...ada, email }, NOW)).rejects.toThrow("is not an e-mail address");
	});

	test("refuses names over 64 characters and passwords that are too short", async () => {
		using fixture = new AccountsFixture();
		const { accounts } = fixture;
		await expect(accounts.add({ ...ada, firstname: "x".repeat(65) }, NOW)).rejects.toThrow(
			"--firstname takes at most 64",
		);
		await expect(accounts.add({ ...ada, lastname: "a\nb" }, NOW)).rejects.toThrow(
			"--lastname takes at most 64",
		);
		await expect(accounts.add({ ...ada, password: "12345" }, NOW)).rejects.toThrow(
			"a password takes 6 to 1024 characters",
		);
	});

	test("refuses an unknown plan, names the ones there are and adds nothing", async () => {
		using fixture = new AccountsFixture();
		await expect(fixture.accounts.add({ ...ada, planIds: ["team", "gold"] }, NOW)).rejects.toThrow(
			'there is no plan "gold"; the plans are: analyst, team',
		);
		expect(fixture.accounts.list()).toEqual([]);
	});

	test("keeps the password only as an argon2id hash", async () => {
		using fixture = new AccountsFixture();
		await fixture.accounts.add(ada, NOW);
		const { hash } = fixture.store.query({ hash: text }, "SELECT password_hash AS hash FROM accounts").get();
		expect(hash).toMatch(/^\$argon2id\$/);
		expect(hash).not.toContain(ada.password);
	});
});

describe("passwords", () => {
	test("let the right one in, and nobody with another password or address", async () => {
		using fixture = new AccountsFixture();
		const account = await fixture.accounts.add(ada, NOW);
		expect(await fixture.accounts.findByPassword("ada@example.org", ada.password)).toEqual(account);
		expect(await fixture.accounts.findByPassword("ada@example.org", "difference")).toBeUndefined();
		expect(await fixture.accounts.findByPassword("bob@example.org", ada.password)).toBeUndefined();
	});

	test("can be set anew", async () => {
		using fixture = new AccountsFixture();
		await fixture.accounts.add(ada, NOW);
		await fixture.accounts.setPassword(ada.email, "analytical engine");
		expect(await fixture.accounts.findByPassword(ada.email, ada.password)).toBeUndefined();
		expect(await fixture.accounts.findByPassword(ada.email, "analytical engine")).toBeDefined();
	});
});

test("confirms an e-mail address, again and again", async () => {
	using fixture = new AccountsFixture();
	const { id } = await fixture.accounts.add({ ...ada, verified: false }, NOW);
	expect(fixture.accounts.find(id)?.verified).toBe(false);
	expect(fixture.accounts.verify(ada.email, NOW).verified).toBe(true);
	fixture.accounts.verify(ada.email, NOW + 1);
	expect(fixture.accounts.find(id)?.verified).toBe(true);
});

test("refuses to work on an unknown e-mail address", async () => {
	using fixture = new AccountsFixture();
	const { accounts } = fixture;
	const message = 'there is no account with the e-mail address "bob@example.org"';
	expect(() => accounts.verify("bob@example.org", NOW)).toThrow(message);
	expect(() => accounts.remove("bob@example.org")).toThrow(message);
	expect(() => accounts.subscribe("bob@example.org", "team", { now: NOW })).toThrow(message);
	await expect(accounts.setPassword("bob@example.org", "long enough")).rejects.toThrow(message);
});

describe("subscriptions", () => {
	test("are one per plan named, oldest first", async () => {
		using fixture = new AccountsFixture();
		const { id } = await fixture.accounts.add({ ...ada, planIds: ["team", "analyst", "team"] }, NOW);
		const active = fixture.accounts.activeSubscriptions(id, NOW);
		expect(active.map(({ plan }) => plan.id)).toEqual(["team", "analyst", "team"]);
		expect(active[0]?.plan).toEqual(plans[1]);
	});

	test("end after their last millisecond", async () => {
		using fixture = new AccountsFixture();
		const { id } = await fixture.accounts.add({ ...ada, planIds: [] }, NOW);
		fixture.accounts.subscribe(ada.email, "team", { now: NOW, endsAt: NOW + DAY_MS });
		expect(fixture.accounts.activeSubscriptions(id, NOW + DAY_MS)).toHaveLength(1);
		expect(fixture.accounts.activeSubscriptions(id, NOW + DAY_MS + 1)).toHaveLength(0);
	});

	test("grant nothing once their plan is gone from the configuration", async () => {
		using fixture = new AccountsFixture();
		const { id } = await fixture.accounts.add({ ...ada, planIds: ["analyst", "team"] }, NOW);
		const active = fixture.accountsWith(plans.slice(1)).activeSubscriptions(id, NOW);
		expect(active.map(({ planId }) => planId)).toEqual(["team"]);
	});

	test("are refused for an unknown plan", async () => {
		using fixture = new AccountsFixture();
		await fixture.accounts.add(ada, NOW);
		expect(() => fixture.accounts.subscribe(ada.email, "gold", { now: NOW })).toThrow(OperatorError);
		expect(() => fixture.accountsWith([]).subscribe(ada.email, "gold", { now: NOW })).toThrow(
			"has no [[plans]]",
		);
	});
});

describe("removing an account", () => {
	test.each(["starting", "running"] as const)("is refused while a session is %s", async (status) => {
		using fixture = new AccountsFixture();
		const { id } = await fixture.accounts.add(ada, NOW);
		fixture.insertSession(id, status);
		expect(() => fixture.accounts.remove(ada.email)).toThrow("still has a live session; stop it first");
		expect(fixture.accounts.find(id)).toBeDefined();
	});

	test("takes its keys, subscriptions and ended sessions along", async () => {
		using fixture = new AccountsFixture();
		const account = await fixture.accounts.add(ada, NOW);
		const { key } = fixture.keys.add({ account, name: "ci" }, NOW);
		fixture.insertSession(account.id, "ended");
		fixture.accounts.remove(ada.email);
		expect(fixture.accounts.find(account.id)).toBeUndefined();
		expect(fixture.accounts.activeSubscriptions(account.id, NOW)).toEqual([]);
		expect(fixture.keys.findByKey(key, NOW)).toBeUndefined();
	});
});
