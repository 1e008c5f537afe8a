/**
 * The start rate (spec 8): sliding windows over the rows of sessions, so that a restart forgets nothing and a refused start
 * counts for nothing. A window holds what started within it, its older end excluded.
 */
import { integer } from "../store/columns.ts";
import type { Query, Store } from "../store/driver.ts";

export interface StartLimits {
	perMinute: number;
	perHour: number;
	perDay: number;
}

export type StartDecision = { allowed: true } | { allowed: false; retryAfterMs: number };

/** The time of the `nth` newest start after `after`, counted from 1; undefined when there are fewer. */
export type NthNewestStart = (nth: number, after: number) => number | undefined;

/** How long until none of the windows is full; 0 when none is now. */
export function waitMs(limits: StartLimits, now: number, nthNewest: NthNewestStart): number {
	const windows = [
		{ limit: limits.perMinute, lengthMs: 60_000 },
		{ limit: limits.perHour, lengthMs: 3_600_000 },
		{ limit: limits.perDay, lengthMs: 86_400_000 },
	];
	const waits = windows.map(({ limit, lengthMs }) => {
		const filledBy = nthNewest(limit, now - lengthMs);
		return filledBy === undefined ? 0 : filledBy + lengthMs - now;
	});
	return Math.max(...waits);
}

export interface StartRateOptions {
	store: Store;
	perAppKey: StartLimits;
	perAccount: StartLimits;
}

const shape = { created_at: integer };
type Starts = Query<{ readonly created_at: number }>;

/** Starts that a clock since set back has put into the future are left out. */
function startsOf(store: Store, column: "app_key_id" | "account_id"): Starts {
	return store.query(
		shape,
		`SELECT created_at FROM sessions WHERE ${column} = @id AND created_at > @after AND created_at <= @now
		ORDER BY created_at DESC LIMIT 1 OFFSET @skipped`,
	);
}

function nthNewestOf(starts: Starts, id: number, now: number): NthNewestStart {
	return (nth, after) => starts.find({ id, after, now, skipped: nth - 1 })?.created_at;
}

export class StartRate {
	readonly #options: StartRateOptions;
	readonly #ofAppKey: Starts;
	readonly #ofAccount: Starts;

	constructor(options: StartRateOptions) {
		this.#options = options;
		this.#ofAppKey = startsOf(options.store, "app_key_id");
		this.#ofAccount = startsOf(options.store, "account_id");
	}

	/**
	 * Whether one more session may start. After `retryAfterMs` it may, and not a millisecond earlier, unless others start in
	 * between. Belongs into the transaction that inserts the row. `appKeyId` is null for a start by hand.
	 */
	check(appKeyId: number | null, accountId: number, now: number): StartDecision {
		const { perAppKey, perAccount } = this.#options;
		const ofKey = appKeyId === null ? 0 : waitMs(perAppKey, now, nthNewestOf(this.#ofAppKey, appKeyId, now));
		const ofAccount = waitMs(perAccount, now, nthNewestOf(this.#ofAccount, accountId, now));
		const retryAfterMs = Math.max(ofKey, ofAccount);
		return retryAfterMs > 0 ? { allowed: false, retryAfterMs } : { allowed: true };
	}
}
