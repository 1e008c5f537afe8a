/**
 * Every figure of usage as a query over the rows of sessions and bytes (spec 2.3, 2.4); nothing is counted beside them. What
 * the figures are held against is left to the reports and the allowances.
 *
 * A session's runtime goes from its start to its end, or to now. Of a session that began before a window only the part in
 * the window counts. Times are milliseconds since the epoch, also `hour`: the first millisecond of an hour.
 */
import { integer, type RowOf, text } from "../store/columns.ts";
import type { Query, Store } from "../store/driver.ts";

/** From when on a subscription's sessions count. */
export interface Window {
	subscriptionId: number;
	since: number;
}

/** A figure for each subscription; one without rows is missing. */
export type FigureBySubscription = ReadonlyMap<number, number>;

/** A subscription that live sessions have taken their slots from. */
export interface LiveSubscription {
	subscriptionId: number;
	planId: string;
	startedAt: number;
	liveSessions: number;
}

const figureShape = { figure: integer };
const bySubscriptionShape = { subscription_id: integer, figure: integer };
const liveShape = { subscription_id: integer, plan_id: text, created_at: integer, live: integer };

type Figure = Query<RowOf<typeof figureShape>>;
type BySubscription = Query<RowOf<typeof bySubscriptionShape>>;

const isLive = "s.status <> 'ended'";
const isAgents = "s.account_id = @accountId AND s.started_by_kind = 'agent'";
const windows = `WITH windows (id, since) AS MATERIALIZED (
	SELECT value ->> '$[0]', value ->> '$[1]' FROM json_each(@windows))`;

/** Two conditions, so that an index over `ended_at` finds just the sessions that reach into the window. */
const reachesInto = (since: string) => `(s.ended_at > ${since} OR s.ended_at IS NULL)`;
/** The clock may have been set back since a row was written. */
const runtimeSince = (since: string) =>
	`coalesce(sum(max(0, min(coalesce(s.ended_at, @now), @now) - max(s.created_at, ${since}))), 0)`;

/** A CROSS JOIN keeps its order: SQLite, which knows no sizes, would begin with years of sessions. */
export class UsageStore {
	readonly #activeByAgents: Figure;
	readonly #startedByAgents: Figure;
	readonly #runtimeByAgents: Figure;
	readonly #live: Figure;
	readonly #residentialBytes: Figure;
	readonly #liveBySubscription: BySubscription;
	readonly #startedBySubscription: BySubscription;
	readonly #runtimeBySubscription: BySubscription;
	readonly #residentialBytesBySubscription: BySubscription;
	readonly #liveSubscriptions: Query<RowOf<typeof liveShape>>;

	constructor(store: Store) {
		const figure = (sql: string) => store.query(figureShape, sql);
		const bySubscription = (sql: string) => store.query(bySubscriptionShape, sql);
		this.#activeByAgents = figure(
			`SELECT count(*) AS figure FROM sessions s WHERE ${isAgents} AND ${isLive}`,
		);
		this.#startedByAgents = figure(
			`SELECT count(*) AS figure FROM sessions s WHERE ${isAgents} AND s.created_at >= @since`,
		);
		this.#runtimeByAgents = figure(
			`SELECT ${runtimeSince("@since")} AS figure FROM sessions s WHERE ${isAgents} AND ${reachesInto("@since")}`,
		);
		this.#live = figure(
			`SELECT count(*) AS figure FROM sessions s WHERE s.account_id = @accountId AND ${isLive}`,
		);
		this.#residentialBytes = figure(
			`SELECT coalesce(sum(b.bytes_up + b.bytes_down), 0) AS figure
			FROM egress_bytes b CROSS JOIN sessions s ON s.id = b.session_id
			WHERE s.account_id = @accountId AND b.exit_kind = 'residential' AND b.hour >= @since`,
		);
		this.#liveBySubscription = bySubscription(
			`SELECT s.subscription_id, count(*) AS figure FROM sessions s
			WHERE s.account_id = @accountId AND s.subscription_id IS NOT NULL AND ${isLive} GROUP BY s.subscription_id`,
		);
		this.#startedBySubscription = bySubscription(
			`${windows} SELECT w.id AS subscription_id, count(*) AS figure
			FROM windows w CROSS JOIN sessions s ON s.subscription_id = w.id
			WHERE s.created_at >= w.since GROUP BY w.id`,
		);
		this.#runtimeBySubscription = bySubscription(
			`${windows} SELECT w.id AS subscription_id, ${runtimeSince("w.since")} AS figure
			FROM windows w CROSS JOIN sessions s ON s.subscription_id = w.id
			WHERE ${reachesInto("w.since")} GROUP BY w.id`,
		);
		this.#residentialBytesBySubscription = bySubscription(
			`${windows} SELECT w.id AS subscription_id, sum(b.bytes_up + b.bytes_down) AS figure
			FROM windows w CROSS JOIN egress_bytes b ON b.hour >= w.since
			CROSS JOIN sessions s ON s.id = b.session_id AND s.subscription_id = w.id
			WHERE b.exit_kind = 'residential' GROUP BY w.id`,
		);
		this.#liveSubscriptions = store.query(
			liveShape,
			`SELECT s.subscription_id, u.plan_id, u.created_at, count(*) AS live
			FROM sessions s CROSS JOIN subscriptions u ON u.id = s.subscription_id WHERE ${isLive} GROUP BY u.id`,
		);
	}

	/** Live sessions that were started through the API or MCP. */
	activeByAgents(accountId: number): number {
		return this.#activeByAgents.get({ accountId }).figure;
	}

	/** Sessions that were started through the API or MCP since then. */
	startedByAgents(accountId: number, since: number): number {
		return this.#startedByAgents.get({ accountId, since }).figure;
	}

	/** Milliseconds that sessions started through the API or MCP have run since then. */
	runtimeByAgentsMs(accountId: number, { since, now }: { since: number; now: number }): number {
		return this.#runtimeByAgents.get({ accountId, since, now }).figure;
	}

	/** Live sessions, however they were started. */
	live(accountId: number): number {
		return this.#live.get({ accountId }).figure;
	}

	/** Residential traffic of every session of the account, both ways. `since` is the beginning of an hour. */
	residentialBytes(accountId: number, since: number): number {
		return this.#residentialBytes.get({ accountId, since }).figure;
	}

	/** Taken slots. */
	liveBySubscription(accountId: number): FigureBySubscription {
		return toMap(this.#liveBySubscription.all({ accountId }));
	}

	startedBySubscription(of: readonly Window[]): FigureBySubscription {
		return toMap(this.#startedBySubscription.all({ windows: toJson(of) }));
	}

	/** In milliseconds. */
	runtimeBySubscription(of: readonly Window[], now: number): FigureBySubscription {
		return toMap(this.#runtimeBySubscription.all({ windows: toJson(of), now }));
	}

	residentialBytesBySubscription(of: readonly Window[]): FigureBySubscription {
		return toMap(this.#residentialBytesBySubscription.all({ windows: toJson(of) }));
	}

	/** Of every account; also those that have ended while sessions of theirs go on. */
	liveSubscriptions(): LiveSubscription[] {
		return this.#liveSubscriptions.all().map((row) => ({
			subscriptionId: row.subscription_id,
			planId: row.plan_id,
			startedAt: row.created_at,
			liveSessions: row.live,
		}));
	}
}

function toMap(rows: readonly RowOf<typeof bySubscriptionShape>[]): FigureBySubscription {
	return new Map(rows.map((row) => [row.subscription_id, row.figure]));
}

function toJson(of: readonly Window[]): string {
	return JSON.stringify(of.map(({ subscriptionId, since }) => [subscriptionId, since]));
}
