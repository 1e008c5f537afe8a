import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/sessions/session.ts";
import { aSession, NOW } from "./a-session.ts";
import { ada, bob, DAY_MS, ManagerFixture } from "./manager.ts";

let count = 0;

function insert(fixture: ManagerFixture, differences: Partial<Session> = {}): string {
	const id = `brl-v-v7-${String(++count).padStart(20, "0")}`;
	fixture.store.insert(aSession({ id, ...differences }));
	return id;
}

const endedAt = (time: number) =>
	({ state: { status: "ended", reason: "stopped", endedAt: time, detail: null } }) as const;

function list(
	fixture: ManagerFixture,
	options: { all?: boolean; limit?: number; accountId?: number } = {},
): string[] {
	const { all = false, limit = 50, accountId = ada.accountId } = options;
	return fixture.manager.list(accountId, { all, limit }).map(({ id }) => id);
}

describe("a row", () => {
	test.each([
		aSession({ id: "brl-v-v7-a", readyAt: null, state: { status: "starting" } }),
		aSession({
			id: "brl-v-v7-b",
			url: "https://a.example/ä🙂",
			name: "日本 \"'; --",
			country: "de",
			stopRequestedAt: NOW + 1,
		}),
		aSession({
			id: "brl-v-v7-c",
			state: { status: "ended", reason: "error", endedAt: NOW + 7, detail: "why" },
		}),
		aSession({ id: "brl-v-v7-d", subscriptionId: null, startedByKind: "app", lastSeenAt: NOW + 5 }),
		...(["direct", "location", "residential", "own_proxy"] as const).map((exitKind) =>
			aSession({ id: `brl-v-v7-${exitKind}`, exitKind }),
		),
	])("is read as it was written: $id", async (session) => {
		await using fixture = new ManagerFixture();
		fixture.store.insert(session);
		expect(fixture.store.find(session.id)).toEqual(session);
	});

	test("that has ended never changes again", async () => {
		await using fixture = new ManagerFixture();
		const id = insert(fixture, endedAt(NOW));
		const before = fixture.session(id);
		fixture.store.saveState(id, { status: "running" }, NOW + 1);
		fixture.store.saveState(
			id,
			{ status: "ended", reason: "error", endedAt: NOW + 1, detail: "later" },
			NOW + 1,
		);
		fixture.store.touch(id, NOW + 1);
		expect(fixture.store.requestStop(id, NOW + 1)).toBe(false);
		expect(fixture.session(id)).toEqual(before);
	});

	test("keeps the time at which its browser was ready", async () => {
		await using fixture = new ManagerFixture();
		const id = insert(fixture, { state: { status: "starting" }, readyAt: null });
		fixture.store.saveState(id, { status: "running" }, NOW + 5);
		fixture.store.saveState(
			id,
			{ status: "ended", reason: "stopped", endedAt: NOW + 9, detail: null },
			NOW + 9,
		);
		expect(fixture.session(id).readyAt).toBe(NOW + 5);
	});
});

describe("the list", () => {
	test("has the newest first, and the one written later of two from the same millisecond", async () => {
		await using fixture = new ManagerFixture();
		const middle = insert(fixture, { createdAt: NOW - 2 });
		const oldest = insert(fixture, { createdAt: NOW - 3 });
		const newest = insert(fixture, { createdAt: NOW - 1 });
		const twin = insert(fixture, { createdAt: NOW - 1 });
		expect(list(fixture)).toEqual([twin, newest, middle, oldest]);
	});

	test("has the newest up to its limit", async () => {
		await using fixture = new ManagerFixture();
		const ids = Array.from({ length: 5 }, (_, index) => insert(fixture, { createdAt: NOW + index }));
		expect(list(fixture, { limit: 2 })).toEqual([ids[4], ids[3]]);
		expect(list(fixture, { limit: 1, all: true })).toEqual([ids[4]]);
	});

	test("has only live sessions, and with all those that ended in the last 30 days", async () => {
		await using fixture = new ManagerFixture();
		const now = fixture.clock.now();
		const running = insert(fixture, { createdAt: NOW });
		const justNow = insert(fixture, { ...endedAt(now), createdAt: NOW - 1 });
		const almostOld = insert(fixture, { ...endedAt(now - 30 * DAY_MS), createdAt: now - 40 * DAY_MS });
		insert(fixture, { ...endedAt(now - 30 * DAY_MS - 1), createdAt: now - 40 * DAY_MS });
		expect(list(fixture)).toEqual([running]);
		expect(list(fixture, { all: true })).toEqual([running, justNow, almostOld]);
	});

	test("has nothing of another account", async () => {
		await using fixture = new ManagerFixture();
		const mine = insert(fixture);
		const foreign = insert(fixture, { accountId: bob.accountId, subscriptionId: bob.accountId });
		expect(list(fixture)).toEqual([mine]);
		expect(list(fixture, { all: true, accountId: bob.accountId })).toEqual([foreign]);
	});

	test("leaves out sessions that were started by hand, which can be read all the same", async () => {
		await using fixture = new ManagerFixture();
		const byHand = insert(fixture, { startedByKind: "app" });
		const ended = insert(fixture, { startedByKind: "app", ...endedAt(fixture.clock.now()) });
		expect(list(fixture, { all: true })).toEqual([]);
		expect(fixture.manager.get(ada.accountId, byHand).startedByKind).toBe("app");
		expect(fixture.manager.get(ada.accountId, ended).startedByKind).toBe("app");
	});
});

test("the operator's list has every account's sessions with their e-mail addresses", async () => {
	await using fixture = new ManagerFixture();
	const mine = insert(fixture, { createdAt: NOW });
	const foreign = insert(fixture, {
		accountId: 2,
		subscriptionId: 2,
		startedByKind: "app",
		createdAt: NOW + 1,
	});
	const ended = insert(fixture, { ...endedAt(NOW), createdAt: NOW + 2 });
	const listed = (email: string | undefined, endedSince: number | undefined) =>
		fixture.store.listForOperator({ email, endedSince }).map(({ session, email: of }) => [session.id, of]);
	expect(listed(undefined, undefined)).toEqual([
		[foreign, "2@example.org"],
		[mine, "1@example.org"],
	]);
	expect(listed("1@EXAMPLE.org", NOW)).toEqual([
		[ended, "1@example.org"],
		[mine, "1@example.org"],
	]);
	expect(listed("nobody@example.org", 0)).toEqual([]);
});
