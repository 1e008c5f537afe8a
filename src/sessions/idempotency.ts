/**
 * Starts that may be repeated (spec 4.1, `idempotencyKey`): per app key, for 10 minutes, across restarts. Only successes are
 * kept; two calls at the same moment share one start.
 */
import { integer, text } from "../store/columns.ts";
import type { Command, Query, Store } from "../store/driver.ts";

export const IDEMPOTENCY_MS = 10 * 60 * 1_000;

const shape = { session_id: text, running_limit: integer, running_used: integer };

/** What is needed to give the first response again: the session, and the slots as they were then. */
export interface KeptStart {
	sessionId: string;
	limit: number;
	used: number;
}

export interface IdempotentCall {
	appKeyId: number;
	key: string;
}

export class IdempotentStarts {
	readonly #find: Query<{ session_id: string; running_limit: number; running_used: number }>;
	readonly #insert: Command;
	readonly #purge: Command;

	constructor(store: Store) {
		this.#find = store.query(
			shape,
			`SELECT session_id, running_limit, running_used FROM idempotent_starts
			WHERE app_key_id = @appKeyId AND key = @key AND created_at > @since`,
		);
		this.#insert = store.command(
			`INSERT OR REPLACE INTO idempotent_starts (app_key_id, key, session_id, running_limit, running_used, created_at)
			VALUES (@appKeyId, @key, @sessionId, @limit, @used, @now)`,
		);
		this.#purge = store.command("DELETE FROM idempotent_starts WHERE created_at <= @since");
	}

	find({ appKeyId, key }: IdempotentCall, now: number): KeptStart | undefined {
		const row = this.#find.find({ appKeyId, key, since: now - IDEMPOTENCY_MS });
		if (row === undefined) return undefined;
		return { sessionId: row.session_id, limit: row.running_limit, used: row.running_used };
	}

	keep({ appKeyId, key }: IdempotentCall, { sessionId, limit, used }: KeptStart, now: number): void {
		this.#insert.run({ appKeyId, key, sessionId, limit, used, now });
	}

	/** Forgets what nobody can ask for any more. */
	purge(now: number): void {
		this.#purge.run({ since: now - IDEMPOTENCY_MS });
	}
}
