import { describe, expect, test } from "vitest";
import { refusalOf } from "../../support/refusal-of.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ada, bob, HOUR_MS, ManagerFixture, MINUTE_MS } from "./manager.ts";
import { refusalFrom } from "./starter-fixture.ts";

const unknownId = "brl-v-v7-00000000000000000000";

describe("a stop", () => {
	test("ends the session and removes its browser", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		fixture.clock.advance(1_000);
		fixture.manager.stop(ada.accountId, id);
		const ended = { status: "ended", reason: "stopped", endedAt: fixture.clock.now(), detail: null };
		expect(fixture.session(id).state).toEqual(ended);
		await fixture.manager.settled();
		expect(fixture.host.get(id).isGone).toBe(true);
		expect([...fixture.egress]).toEqual([]);
	});

	test("of a session that has ended changes nothing", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		fixture.host.get(id).exit("failed", "signal SIGSEGV");
		await fixture.until(id, "error");
		const before = fixture.session(id);
		fixture.clock.advance(MINUTE_MS);
		fixture.manager.stop(ada.accountId, id);
		fixture.manager.stop(ada.accountId, id);
		expect(fixture.session(id)).toEqual(before);
	});

	test("is refused for another's session exactly as for an unknown one, and leaves it alone", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning(ada);
		const foreign = refusalOf(() => fixture.manager.stop(bob.accountId, id));
		const unknown = refusalOf(() => fixture.manager.stop(bob.accountId, unknownId));
		expect({ ...foreign }).toEqual({ ...unknown });
		expect(foreign.status).toBe("denied");
		expect(fixture.stateOf(id)).toBe("running");
	});

	test("ends sessions started by hand too", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning({ ...ada, startedByKind: "app" });
		fixture.manager.stop(ada.accountId, id);
		expect(fixture.stateOf(id)).toBe("stopped");
	});
});

describe("a browser's own end", () => {
	test.each([
		["clean", "stopped", "the browser was closed"],
		["failed", "error", "signal SIGKILL"],
	] as const)("that is %s ends the session as %s", async (kind, reason, detail) => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		fixture.host.get(id).exit(kind, "signal SIGKILL");
		await fixture.until(id, reason);
		expect(fixture.detailOf(id)).toBe(detail);
		await fixture.manager.settled();
		expect(fixture.host.get(id).isGone).toBe(true);
		expect(fixture.store.live()).toEqual([]);
	});

	test("after a stop does not change the reason", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		fixture.manager.stop(ada.accountId, id);
		fixture.host.get(id).exit("failed", "killed");
		await fixture.manager.settled();
		expect(fixture.stateOf(id)).toBe("stopped");
	});
});

describe("an end that cannot be written", () => {
	const hide = (fixture: ManagerFixture) =>
		fixture.database.command("ALTER TABLE sessions RENAME TO hidden").run();
	const show = (fixture: ManagerFixture) =>
		fixture.database.command("ALTER TABLE hidden RENAME TO sessions").run();

	test("is written by the reaper as soon as it can be, and logged once until then", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		hide(fixture);
		fixture.host.get(id).exit("failed", "signal SIGKILL");
		await waitFor(() => fixture.host.get(id).isGone, "the browser is gone");
		for (let round = 0; round < 3; round++) expect(() => fixture.manager.tick()).toThrow("no such table");
		show(fixture);
		expect(fixture.stateOf(id)).toBe("running");
		fixture.manager.tick();
		expect(fixture.stateOf(id)).toBe("error");
		expect(fixture.logged.lines().filter(({ level }) => level >= 50)).toHaveLength(1);
	});

	test("keeps no browser alive when the daemon ends", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		fixture.database
			.command("CREATE TRIGGER full BEFORE UPDATE ON sessions BEGIN SELECT raise(ABORT, 'full'); END")
			.run();
		await fixture.manager.endAll();
		expect(fixture.host.get(id).isGone).toBe(true);
		fixture.database.command("DROP TRIGGER full").run();
	});
});

describe("the reaper", () => {
	test("ends a session that nobody ever connected to 5 minutes after its start", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		fixture.clock.advance(5 * MINUTE_MS - 1);
		fixture.manager.tick();
		expect(fixture.stateOf(id)).toBe("running");
		fixture.clock.advance(1);
		fixture.manager.tick();
		expect(fixture.stateOf(id)).toBe("disconnect");
		await fixture.manager.settled();
		expect(fixture.host.get(id).isGone).toBe(true);
	});

	test("keeps a session while a client is connected, and its lastseen fresh", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		using _attachment = fixture.attach(id);
		fixture.pass(2 * HOUR_MS);
		expect(fixture.stateOf(id)).toBe("running");
		expect(fixture.session(id).lastSeenAt).toBe(fixture.clock.now());
	});

	test("counts the 5 minutes from the last of several clients", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		const first = fixture.attach(id);
		const second = fixture.attach(id);
		first[Symbol.dispose]();
		fixture.pass(10 * MINUTE_MS);
		expect(fixture.stateOf(id)).toBe("running");
		fixture.clock.advance(1_234);
		second[Symbol.dispose]();
		expect(fixture.session(id).lastSeenAt).toBe(fixture.clock.now());
		fixture.clock.advance(5 * MINUTE_MS - 1);
		fixture.manager.tick();
		expect(fixture.stateOf(id)).toBe("running");
		fixture.clock.advance(1);
		fixture.manager.tick();
		expect(fixture.stateOf(id)).toBe("disconnect");
	});

	test("ends a session after 18 hours, clients or not", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning();
		using attachment = fixture.attach(id);
		fixture.pass(18 * HOUR_MS - 1);
		expect(fixture.stateOf(id)).toBe("running");
		fixture.pass(1);
		expect(fixture.stateOf(id)).toBe("timeout");
		expect(attachment.signal.reason).toMatchObject({ reason: "timeout" });
	});

	test("carries out a stop that the command line has asked for", async () => {
		await using fixture = new ManagerFixture();
		const [running, starting] = [await fixture.startRunning(), await fixture.start()];
		for (const id of [running, starting])
			expect(fixture.store.requestStop(id, fixture.clock.now())).toBe(true);
		expect(fixture.stateOf(running)).toBe("running");
		fixture.manager.tick();
		expect([fixture.stateOf(running), fixture.stateOf(starting)]).toEqual(["stopped", "stopped"]);
		expect(fixture.store.requestStop(running, fixture.clock.now())).toBe(false);
		expect(fixture.store.requestStop(unknownId, fixture.clock.now())).toBe(false);
	});
});

describe("after a daemon that is gone", () => {
	test("live sessions are lost, ended ones keep their reason, and every leftover is swept", async () => {
		await using fixture = new ManagerFixture();
		const running = await fixture.startRunning();
		const starting = await fixture.start();
		const stopped = await fixture.startRunning();
		fixture.manager.stop(ada.accountId, stopped);
		fixture.host.leftovers = 2;
		await fixture.another().recover();
		expect([running, starting, stopped].map((id) => fixture.stateOf(id))).toEqual([
			"lost",
			"lost",
			"stopped",
		]);
		expect(fixture.host.sweeps).toEqual([new Set()]);
		expect(fixture.logged.lines()).toContainEqual(expect.objectContaining({ lost: 2, folders: 2 }));
		// The first manager still has their browsers in this test: a real daemon's end would have taken its memory with it.
		for (const id of [running, starting]) fixture.host.get(id).exit("clean");
		fixture.host.get(starting).becomeReady();
		await waitFor(() => fixture.host.remaining().length === 0, "the browsers are gone");
	});

	test("nothing is said when there is nothing to clear up", async () => {
		await using fixture = new ManagerFixture();
		await fixture.manager.recover();
		expect(fixture.logged.lines()).toEqual([]);
	});
});

describe("at the end of the daemon", () => {
	test("every session ends, and the end has come when nothing of them is left", async () => {
		await using fixture = new ManagerFixture();
		const removal = Promise.withResolvers<void>();
		const ids = [await fixture.startRunning(ada), await fixture.start(ada), await fixture.startRunning(bob)];
		fixture.host.removal = () => removal.promise;
		let isOver = false;
		const end = fixture.manager.endAll().then(() => (isOver = true));
		expect(ids.map((id) => fixture.stateOf(id))).toEqual(["stopped", "stopped", "stopped"]);
		await waitFor(() => ids.every((id) => fixture.host.get(id).isEnding), "all are being removed");
		expect(isOver).toBe(false);
		removal.resolve();
		await end;
		expect(fixture.host.remaining()).toEqual([]);
	});

	test("no session is started any more", async () => {
		await using fixture = new ManagerFixture();
		await fixture.manager.endAll();
		const refusal = await refusalFrom(fixture.manager.start(ada, {}));
		expect(refusal).toMatchObject({ key: "shutting-down", status: "error", code: "internal_error" });
		expect(fixture.store.live()).toEqual([]);
	});
});
