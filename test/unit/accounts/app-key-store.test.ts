import { expect, test } from "vitest";
import { parseEndOfDay } from "../../../src/accounts/end-of-day.ts";
import { sha256 } from "../../../src/base/secret.ts";
import { text } from "../../../src/store/columns.ts";
import { AccountsFixture, ada, DAY_MS, NOW } from "./accounts.ts";

const YEAR_MS = 365 * DAY_MS;

async function fixtureWithKey(options: { expiresAt?: number } = {}) {
	const fixture = new AccountsFixture();
	const account = await fixture.accounts.add(ada, NOW);
	const { key, appKey } = fixture.keys.add({ account, name: "ci", ...options }, NOW);
	return Object.assign(fixture, { account, key, appKey });
}

test("answers the key once and keeps its hash and its beginning", async () => {
	using fixture = await fixtureWithKey();
	expect(fixture.key).toMatch(/^brl-k-v7-[0-9A-Za-z]{43}$/);
	expect(fixture.appKey).toEqual({
		id: fixture.appKey.id,
		accountId: fixture.account.id,
		name: "ci",
		prefix: fixture.key.slice(0, 13),
		createdAt: NOW,
		lastUsedAt: null,
		expiresAt: null,
		revokedAt: null,
	});
	const kept = fixture.store.query({ hash: text, prefix: text }, "SELECT hash, prefix FROM app_keys").get();
	expect(kept).toEqual({ hash: sha256(fixture.key), prefix: fixture.key.slice(0, 13) });
});

test("finds the account of a key and nothing for another text", async () => {
	using fixture = await fixtureWithKey();
	expect(fixture.keys.findByKey(fixture.key, NOW)).toEqual({ account: fixture.account, key: fixture.appKey });
	for (const other of ["", "brl-k-v7-", `${fixture.key}x`, fixture.key.toLowerCase(), sha256(fixture.key)]) {
		expect(fixture.keys.findByKey(other, NOW)).toBeUndefined();
	}
});

test.each(["", "   ", "x".repeat(65), "a\nb"])("refuses %j as the name of a key", async (name) => {
	using fixture = await fixtureWithKey();
	expect(() => fixture.keys.add({ account: fixture.account, name }, NOW)).toThrow("takes 1 to 64 characters");
});

test("takes a name of 64 characters, also outside ASCII", async () => {
	using fixture = await fixtureWithKey();
	const { appKey } = fixture.keys.add({ account: fixture.account, name: "🛢".repeat(64) }, NOW);
	expect(fixture.keys.list(fixture.account.id).map(({ name }) => name)).toEqual(["ci", appKey.name]);
});

test("a revoked key opens nothing from the next look on and is no longer listed", async () => {
	using fixture = await fixtureWithKey();
	fixture.keys.revoke(fixture.appKey.id, NOW + 1);
	expect(fixture.keys.findByKey(fixture.key, NOW + 1)).toBeUndefined();
	expect(fixture.keys.list(fixture.account.id)).toEqual([]);
	expect(fixture.keys.revoke(fixture.appKey.id, NOW + 2).revokedAt).toBe(NOW + 1);
	expect(() => fixture.keys.revoke(99, NOW)).toThrow("there is no app key 99");
});

test("a key with a date works until the end of that day in UTC", async () => {
	const expiresAt = parseEndOfDay("2026-03-05", NOW);
	using fixture = await fixtureWithKey({ expiresAt });
	const at = (iso: string) => fixture.keys.findByKey(fixture.key, Date.parse(iso));
	expect(at("2026-03-05T23:59:59.999Z")).toBeDefined();
	expect(at("2026-03-06T00:00:00.000Z")).toBeUndefined();
});

test("a key that was never used works for a year", async () => {
	using fixture = await fixtureWithKey();
	expect(fixture.keys.findByKey(fixture.key, NOW + YEAR_MS)).toBeDefined();
	expect(fixture.keys.findByKey(fixture.key, NOW + YEAR_MS + 1)).toBeUndefined();
});

test("each use gives a key another year, but not beyond its date", async () => {
	const expiresAt = parseEndOfDay("2027-06-01", NOW);
	using fixture = await fixtureWithKey({ expiresAt });
	const lastUse = NOW + YEAR_MS - DAY_MS;
	fixture.keys.recordUse(fixture.appKey.id, lastUse);
	expect(fixture.keys.findByKey(fixture.key, NOW + YEAR_MS + DAY_MS)).toBeDefined();
	expect(fixture.keys.findByKey(fixture.key, expiresAt)).toBeDefined();
	expect(fixture.keys.findByKey(fixture.key, expiresAt + 1)).toBeUndefined();
});

test("writes the use of a key at most once a minute", async () => {
	using fixture = await fixtureWithKey();
	const { id } = fixture.appKey;
	const lastUse = () => fixture.keys.list(fixture.account.id)[0]?.lastUsedAt;
	fixture.keys.recordUse(id, NOW);
	fixture.keys.recordUse(id, NOW + 59_999);
	expect(lastUse()).toBe(NOW);
	fixture.keys.recordUse(id, NOW + 60_000);
	expect(lastUse()).toBe(NOW + 60_000);
});

test.each(["2026-02-30", "2026-13-01", "26-01-01", "2026-3-5", "tomorrow", ""])(
	"refuses %j as a date",
	(date) => {
		expect(() => parseEndOfDay(date, NOW)).toThrow("is not a date of the form YYYY-MM-DD");
	},
);

test("takes today as a date, but no day before", () => {
	expect(parseEndOfDay("2026-03-01", NOW)).toBe(Date.parse("2026-03-01T23:59:59.999Z"));
	expect(() => parseEndOfDay("2026-02-28", NOW)).toThrow("2026-02-28 is in the past");
});
