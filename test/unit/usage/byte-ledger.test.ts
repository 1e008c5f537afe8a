import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/accounts/plan.ts";
import type { ExitKind } from "../../../src/sessions/session.ts";
import { SessionStore } from "../../../src/sessions/session-store.ts";
import { integer, text } from "../../../src/store/columns.ts";
import { ByteLedger, type ByteMeter } from "../../../src/usage/byte-ledger.ts";
import { aPlan, CYCLE_END, HOUR_MS, MB, NOW, pack, team, UsageFixture } from "./usage-fixture.ts";

const one = aPlan("one", { residentialMb: 1 });
const SECOND_HOUR = NOW + HOUR_MS;

class LedgerFixture extends UsageFixture {
	readonly sessions = new SessionStore(this.database);
	readonly ledger = this.another();

	/** Both accounts have this plan. */
	constructor(plan: Plan = one) {
		super([one, team, pack]);
		for (const accountId of [1, 2]) this.subscribe(plan, { accountId });
	}

	another(): ByteLedger {
		return new ByteLedger({
			store: this.database,
			now: () => this.clock.now(),
			residentialBytesLeft: (accountId, now) => this.allowances.residentialBytesLeft(accountId, now),
		});
	}

	/** The meter of a new session. */
	meter(exit: ExitKind = "residential", accountId = 1): ByteMeter & { sessionId: string } {
		const sessionId = this.session({ accountId, from: this.clock.now(), exit });
		return { ...this.ledger.meterOf(this.row(sessionId)), sessionId };
	}

	row(sessionId: string) {
		const session = this.sessions.find(sessionId);
		if (session === undefined) throw new Error(`there is no session ${sessionId}`);
		return session;
	}

	/** The rows of a session, by hour. */
	rows(sessionId: string): [kind: string, hour: number, up: number, down: number][] {
		const shape = { exit_kind: text, hour: integer, bytes_up: integer, bytes_down: integer };
		return this.database
			.query(shape, "SELECT * FROM egress_bytes WHERE session_id = @sessionId ORDER BY hour")
			.all({ sessionId })
			.map((row) => [row.exit_kind, row.hour, row.bytes_up, row.bytes_down]);
	}

	/** Until it is disposed of, nothing can be written. */
	fillDisk(): Disposable {
		this.database
			.command("CREATE TRIGGER full BEFORE INSERT ON egress_bytes BEGIN SELECT raise(ABORT, 'full'); END")
			.run();
		return { [Symbol.dispose]: () => void this.database.command("DROP TRIGGER full").run() };
	}
}

describe("what a session moves", () => {
	test.each(["direct", "location", "residential", "own_proxy"] as const)(
		"over a %s exit is written, each way, when the ledger is flushed",
		(exit) => {
			using fixture = new LedgerFixture();
			const meter = fixture.meter(exit);
			meter.up(10);
			meter.down(200);
			meter.up(1);
			expect(fixture.rows(meter.sessionId)).toEqual([]);
			fixture.ledger.flush();
			expect(fixture.rows(meter.sessionId)).toEqual([[exit, NOW, 11, 200]]);
		},
	);

	test("adds up from one flush to the next, and is written once", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		for (let round = 1; round <= 3; round++) {
			meter.up(1);
			meter.down(2);
			fixture.ledger.flush();
			fixture.ledger.flush();
			expect(fixture.rows(meter.sessionId)).toEqual([["residential", NOW, round, 2 * round]]);
		}
	});

	test("has a row for each hour in which something moved", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter("direct");
		fixture.clock.advance(HOUR_MS - 1);
		meter.up(1);
		fixture.clock.advance(1);
		meter.up(20);
		fixture.ledger.flush();
		meter.down(5);
		fixture.clock.advance(2 * HOUR_MS + 7);
		meter.down(300);
		fixture.ledger.flush();
		expect(fixture.rows(meter.sessionId)).toEqual([
			["direct", NOW, 1, 0],
			["direct", SECOND_HOUR, 20, 5],
			["direct", SECOND_HOUR + 2 * HOUR_MS, 0, 300],
		]);
	});

	test("is its own, and goes on after a restart", () => {
		using fixture = new LedgerFixture();
		const [first, second] = [fixture.meter(), fixture.meter()];
		first.up(1);
		second.up(2);
		fixture.ledger.flush();
		const ledger = fixture.another();
		ledger.meterOf(fixture.row(first.sessionId)).up(10);
		ledger.flush();
		expect(fixture.rows(first.sessionId)).toEqual([["residential", NOW, 11, 0]]);
		expect(fixture.rows(second.sessionId)).toEqual([["residential", NOW, 2, 0]]);
	});

	test("is nothing when nothing moved", () => {
		using fixture = new LedgerFixture();
		const { sessionId } = fixture.meter();
		fixture.ledger.flush();
		expect(fixture.rows(sessionId)).toEqual([]);
	});

	test("after the session's end counts all the same", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		fixture.end(meter.sessionId);
		meter.down(7);
		fixture.ledger.flush();
		expect(fixture.rows(meter.sessionId)).toEqual([["residential", NOW, 0, 7]]);
	});
});

describe("what cannot be written", () => {
	test("is kept, and written with what came since", () => {
		using fixture = new LedgerFixture();
		const [first, second] = [fixture.meter(), fixture.meter("direct")];
		first.up(1);
		second.down(2);
		{
			using _full = fixture.fillDisk();
			for (let round = 0; round < 2; round++) expect(() => fixture.ledger.flush()).toThrow("full");
			first.up(10);
		}
		fixture.clock.advance(HOUR_MS);
		fixture.ledger.flush();
		expect(fixture.rows(first.sessionId)).toEqual([["residential", NOW, 11, 0]]);
		expect(fixture.rows(second.sessionId)).toEqual([["direct", NOW, 0, 2]]);
	});

	test("counts toward the allowance all the same", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		using _full = fixture.fillDisk();
		meter.up(MB - 1);
		expect(() => fixture.ledger.flush()).toThrow("full");
		expect(meter.isExhausted()).toBe(false);
		meter.up(1);
		expect(() => fixture.ledger.flush()).toThrow("full");
		expect(meter.isExhausted()).toBe(true);
		expect(fixture.meter().isExhausted()).toBe(true);
	});

	test("because its account has been deleted keeps nobody else's from being written", () => {
		using fixture = new LedgerFixture();
		const [mine, theirs] = [fixture.meter("direct", 1), fixture.meter("direct", 2)];
		mine.up(1);
		theirs.up(2);
		fixture.end(mine.sessionId);
		fixture.accounts.remove("1@example.org");
		fixture.ledger.flush();
		expect(fixture.rows(mine.sessionId)).toEqual([]);
		expect(fixture.rows(theirs.sessionId)).toEqual([["direct", NOW, 2, 0]]);
	});
});

describe("the residential allowance", () => {
	test("ends with the very chunk that uses it up", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		meter.up(MB / 2);
		meter.down(MB / 2 - 1);
		expect(meter.isExhausted()).toBe(false);
		meter.down(1);
		expect(meter.isExhausted()).toBe(true);
	});

	test("goes on over flushes, restarts and sessions that have ended", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		meter.up(MB - 3);
		fixture.ledger.flush();
		expect(meter.isExhausted()).toBe(false);
		meter.up(1);
		fixture.end(meter.sessionId);
		fixture.ledger.flush();
		const row = fixture.row(fixture.session({ from: NOW, exit: "residential" }));
		const later = fixture.another().meterOf(row);
		later.down(1);
		expect(later.isExhausted()).toBe(false);
		later.down(1);
		expect(later.isExhausted()).toBe(true);
	});

	test("is shared by the sessions of an account, and by no other account", () => {
		using fixture = new LedgerFixture();
		const [first, second, theirs] = [fixture.meter(), fixture.meter(), fixture.meter("residential", 2)];
		first.up(MB / 2);
		second.down(MB / 2);
		expect([first, second, theirs].map((meter) => meter.isExhausted())).toEqual([true, true, false]);
		expect(fixture.meter().isExhausted()).toBe(true);
	});

	test.each(["direct", "location", "own_proxy"] as const)("is no matter of a %s exit", (exit) => {
		using fixture = new LedgerFixture();
		const [other, residential] = [fixture.meter(exit), fixture.meter()];
		other.down(5 * MB);
		expect(residential.isExhausted()).toBe(false);
		residential.down(MB);
		expect([other, residential].map((meter) => meter.isExhausted())).toEqual([false, true]);
		fixture.ledger.flush();
		expect([other, residential].map((meter) => meter.isExhausted())).toEqual([false, true]);
	});

	test("never ends when it is unlimited", () => {
		using fixture = new LedgerFixture(team);
		const meter = fixture.meter();
		for (let round = 0; round < 3; round++) {
			meter.down(1_000 * MB);
			expect(meter.isExhausted()).toBe(false);
			fixture.ledger.flush();
		}
		expect(fixture.ledger.residentialBytesLeft(1, NOW)).toBeNull();
	});

	test("is not there at all without a plan", () => {
		using fixture = new LedgerFixture();
		fixture.database.command("DELETE FROM subscriptions").run();
		expect(fixture.meter().isExhausted()).toBe(true);
	});

	test("that the operator has raised is noticed at the next flush, also while nothing moves any more", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		meter.up(MB);
		fixture.ledger.flush();
		expect(meter.isExhausted()).toBe(true);
		fixture.subscribe(pack);
		expect(meter.isExhausted()).toBe(true);
		fixture.ledger.flush();
		expect(meter.isExhausted()).toBe(false);
		meter.up(500 * MB);
		expect(meter.isExhausted()).toBe(true);
	});

	test("that has begun anew is noticed at the next flush, also while nothing moves any more", () => {
		using fixture = new LedgerFixture();
		const meter = fixture.meter();
		meter.up(MB);
		fixture.ledger.flush();
		fixture.clock.advance(CYCLE_END - NOW);
		expect(meter.isExhausted()).toBe(true);
		fixture.ledger.flush();
		expect(meter.isExhausted()).toBe(false);
	});

	test("that has begun anew is there for a new session at once", () => {
		using fixture = new LedgerFixture();
		fixture.meter().up(MB);
		fixture.ledger.flush();
		fixture.clock.advance(CYCLE_END - NOW);
		expect(fixture.meter().isExhausted()).toBe(false);
	});

	test("is less for a new start by what is not written yet", () => {
		using fixture = new LedgerFixture();
		const [first, second] = [fixture.meter(), fixture.meter()];
		const left = () => fixture.ledger.residentialBytesLeft(1, fixture.clock.now());
		first.up(10);
		fixture.ledger.flush();
		first.up(20);
		second.down(30);
		fixture.meter("direct").down(40);
		fixture.meter("residential", 2).down(50);
		expect(left()).toBe(MB - 60);
		fixture.ledger.flush();
		expect(left()).toBe(MB - 60);
		first.down(2 * MB);
		expect(left()).toBe(0);
	});
});
