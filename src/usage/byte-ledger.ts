/**
 * What sessions send and receive, by session, kind of exit and hour. Counted in memory chunk by chunk and written every few
 * seconds and at the end, so that a daemon that is killed loses at most that; residential traffic stops within a chunk of
 * the allowance's end.
 */
import type { ExitKind, Session } from "../sessions/session.ts";
import type { Command, Store } from "../store/driver.ts";

const HOUR_MS = 60 * 60 * 1_000;

/** What the egress gateway counts with. */
export interface ByteMeter {
	up(bytes: number): void;
	down(bytes: number): void;
	isExhausted(): boolean;
}

interface Entry {
	accountId: number;
	sessionId: string;
	exitKind: ExitKind;
	hour: number;
	up: number;
	down: number;
}

/** What an account may still send and receive residentially, as of the last writing and less what came since. */
interface Budget {
	left: number;
	/** Somebody has asked since it was last read: what nobody uses costs no query. */
	isUsed: boolean;
}

export interface ByteLedgerOptions {
	store: Store;
	now(): number;
	/** Of the account, from what is written; null is unlimited. */
	residentialBytesLeft(accountId: number, now: number): number | null;
}

export class ByteLedger {
	readonly #options: ByteLedgerOptions;
	readonly #add: Command;
	readonly #budgets = new Map<number, Budget>();
	#unwritten = new Map<string, Entry>();

	constructor(options: ByteLedgerOptions) {
		this.#options = options;
		this.#add = options.store.command(
			`INSERT INTO egress_bytes (session_id, exit_kind, hour, bytes_up, bytes_down)
			SELECT @sessionId, @exitKind, @hour, @up, @down WHERE EXISTS (SELECT 1 FROM sessions WHERE id = @sessionId)
			ON CONFLICT (session_id, exit_kind, hour)
			DO UPDATE SET bytes_up = bytes_up + excluded.bytes_up, bytes_down = bytes_down + excluded.bytes_down`,
		);
	}

	/** Of the account, less what is not written yet; null is unlimited. */
	residentialBytesLeft(accountId: number, now: number): number | null {
		const left = this.#options.residentialBytesLeft(accountId, now);
		if (left === null) return null;
		const unwritten = [...this.#unwritten.values()]
			.filter((entry) => entry.accountId === accountId && entry.exitKind === "residential")
			.reduce((sum, { up, down }) => sum + up + down, 0);
		return Math.max(0, left - unwritten);
	}

	/** The meter of a session that has just been started. */
	meterOf(session: Session): ByteMeter {
		const { accountId, exitKind } = session;
		const budget = exitKind === "residential" ? this.#budgetOf(accountId) : undefined;
		const count = (up: number, down: number) => {
			const entry = this.#entryOf(session);
			entry.up += up;
			entry.down += down;
			if (budget === undefined) return;
			budget.left -= up + down;
			budget.isUsed = true;
		};
		return {
			up: (bytes) => count(bytes, 0),
			down: (bytes) => count(0, bytes),
			isExhausted: () => {
				if (budget === undefined) return false;
				budget.isUsed = true;
				return budget.left <= 0;
			},
		};
	}

	/** Writes what was counted since the last time. What cannot be written is kept; what belongs to a deleted session is not. */
	flush(): void {
		if (this.#unwritten.size > 0) this.#write();
		// Also when nothing was counted: the next cycle may have begun, or the operator may have changed the plan.
		for (const [accountId, budget] of this.#budgets)
			if (budget.isUsed) {
				budget.left = this.#leftOf(accountId);
				budget.isUsed = false;
			}
	}

	#write(): void {
		const entries = [...this.#unwritten.values()];
		this.#options.store.transaction(() => {
			for (const { sessionId, exitKind, hour, up, down } of entries)
				this.#add.run({ sessionId, exitKind, hour, up, down });
		});
		this.#unwritten = new Map();
	}

	#leftOf(accountId: number): number {
		return this.residentialBytesLeft(accountId, this.#options.now()) ?? Number.POSITIVE_INFINITY;
	}

	#budgetOf(accountId: number): Budget {
		const budget = this.#budgets.get(accountId) ?? { left: 0, isUsed: false };
		budget.left = this.#leftOf(accountId);
		this.#budgets.set(accountId, budget);
		return budget;
	}

	#entryOf({ id: sessionId, accountId, exitKind }: Session): Entry {
		const hour = Math.floor(this.#options.now() / HOUR_MS) * HOUR_MS;
		const key = `${sessionId} ${hour}`;
		const known = this.#unwritten.get(key);
		if (known !== undefined) return known;
		const entry = { accountId, sessionId, exitKind, hour, up: 0, down: 0 };
		this.#unwritten.set(key, entry);
		return entry;
	}
}
