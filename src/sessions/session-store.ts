/** The rows of sessions. A live row is a taken slot: there is no counter beside it. */
import { integer, nullable, oneOf, type RowOf, text } from "../store/columns.ts";
import type { Command, Query, Store } from "../store/driver.ts";
import type { SessionState } from "./lifecycle.ts";
import type { Session, StartedByKind } from "./session.ts";

const shape = {
	id: text,
	account_id: integer,
	subscription_id: nullable(integer),
	app_key_id: nullable(integer),
	started_by_kind: oneOf("agent", "app"),
	name: text,
	image: text,
	url: nullable(text),
	country: nullable(text),
	exit_kind: oneOf("direct", "location", "residential", "own_proxy"),
	screen_width: integer,
	screen_height: integer,
	status: oneOf("starting", "running", "ended"),
	created_at: integer,
	ready_at: nullable(integer),
	last_seen_at: integer,
	expires_at: integer,
	ended_at: nullable(integer),
	ended_reason: nullable(oneOf("stopped", "timeout", "disconnect", "runtime", "error", "lost")),
	ended_detail: nullable(text),
	stop_requested_at: nullable(integer),
};

type Row = RowOf<typeof shape>;

const columns = Object.keys(shape).join(", ");

function toState(row: Row): SessionState {
	if (row.status !== "ended") return { status: row.status };
	if (row.ended_at === null || row.ended_reason === null)
		throw new Error(`session ${row.id} ended without a reason`);
	return { status: "ended", reason: row.ended_reason, endedAt: row.ended_at, detail: row.ended_detail };
}

function toSession(row: Row): Session {
	return {
		id: row.id,
		accountId: row.account_id,
		subscriptionId: row.subscription_id,
		appKeyId: row.app_key_id,
		startedByKind: row.started_by_kind,
		name: row.name,
		imageId: row.image,
		url: row.url,
		country: row.country,
		exitKind: row.exit_kind,
		screen: { width: row.screen_width, height: row.screen_height },
		state: toState(row),
		createdAt: row.created_at,
		readyAt: row.ready_at,
		lastSeenAt: row.last_seen_at,
		expiresAt: row.expires_at,
		stopRequestedAt: row.stop_requested_at,
	};
}

/** A session with the e-mail address of its account, as the operator sees it. */
export interface OperatorSession {
	session: Session;
	email: string;
}

export interface SessionFilter {
	accountId: number;
	startedByKind: StartedByKind;
	/** Also sessions that ended at or after this time; live ones only when undefined. */
	endedSince: number | undefined;
	limit: number;
}

export class SessionStore {
	readonly #store: Store;
	readonly #insert: Command;
	readonly #saveState: Command;
	readonly #touch: Command;
	readonly #requestStop: Command;
	readonly #byId: Query<Row>;
	readonly #live: Query<Row>;
	readonly #liveOf: Query<Row>;
	readonly #listLive: Query<Row>;
	readonly #listAll: Query<Row>;

	constructor(store: Store) {
		this.#store = store;
		this.#insert = store.command(
			`INSERT INTO sessions (${columns}) VALUES (${Object.keys(shape)
				.map((name) => `@${name}`)
				.join(", ")})`,
		);
		this.#saveState = store.command(
			`UPDATE sessions SET status = @status, ready_at = coalesce(ready_at, @readyAt), ended_at = @endedAt,
			ended_reason = @reason, ended_detail = @detail WHERE id = @id AND status <> 'ended'`,
		);
		this.#touch = store.command(
			"UPDATE sessions SET last_seen_at = @now WHERE id = @id AND status <> 'ended'",
		);
		this.#requestStop = store.command(
			"UPDATE sessions SET stop_requested_at = @now WHERE id = @id AND status <> 'ended'",
		);
		this.#byId = store.query(shape, `SELECT ${columns} FROM sessions WHERE id = @id`);
		this.#live = store.query(
			shape,
			`SELECT ${columns} FROM sessions INDEXED BY sessions_live WHERE status <> 'ended'`,
		);
		this.#liveOf = store.query(
			shape,
			`SELECT ${columns} FROM sessions INDEXED BY sessions_live WHERE status <> 'ended' AND account_id = @accountId`,
		);
		const newestFirst = "ORDER BY created_at DESC, rowid DESC LIMIT @limit";
		const ofKind = "account_id = @accountId AND started_by_kind = @kind";
		this.#listLive = store.query(
			shape,
			`SELECT ${columns} FROM sessions INDEXED BY sessions_live WHERE ${ofKind} AND status <> 'ended' ${newestFirst}`,
		);
		this.#listAll = store.query(
			shape,
			`SELECT ${columns} FROM sessions WHERE ${ofKind} AND (status <> 'ended' OR ended_at >= @since) ${newestFirst}`,
		);
	}

	transaction<T>(work: () => T): T {
		return this.#store.transaction(work);
	}

	insert(session: Session): void {
		const { state } = session;
		this.#insert.run({
			id: session.id,
			account_id: session.accountId,
			subscription_id: session.subscriptionId,
			app_key_id: session.appKeyId,
			started_by_kind: session.startedByKind,
			name: session.name,
			image: session.imageId,
			url: session.url,
			country: session.country,
			exit_kind: session.exitKind,
			screen_width: session.screen.width,
			screen_height: session.screen.height,
			status: state.status,
			created_at: session.createdAt,
			ready_at: session.readyAt,
			last_seen_at: session.lastSeenAt,
			expires_at: session.expiresAt,
			ended_at: state.status === "ended" ? state.endedAt : null,
			ended_reason: state.status === "ended" ? state.reason : null,
			ended_detail: state.status === "ended" ? state.detail : null,
			stop_requested_at: session.stopRequestedAt,
		});
	}

	/** Writes the state; an ended row never changes again. */
	saveState(id: string, state: SessionState, now: number): void {
		const isEnded = state.status === "ended";
		this.#saveState.run({
			id,
			status: state.status,
			readyAt: state.status === "running" ? now : null,
			endedAt: isEnded ? state.endedAt : null,
			reason: isEnded ? state.reason : null,
			detail: isEnded ? state.detail : null,
		});
	}

	/** Records that a client keeps the session alive. */
	touch(id: string, now: number): void {
		this.#touch.run({ id, now });
	}

	/** For other processes: the daemon's reaper ends the session. False when no live session has this id. */
	requestStop(id: string, now: number): boolean {
		return this.#requestStop.run({ id, now }).changes > 0;
	}

	find(id: string): Session | undefined {
		const row = this.#byId.find({ id });
		return row === undefined ? undefined : toSession(row);
	}

	live(): Session[] {
		return this.#live.all().map(toSession);
	}

	liveOf(accountId: number): Session[] {
		return this.#liveOf.all({ accountId }).map(toSession);
	}

	/** The sessions of every account, or of one, newest first. */
	listForOperator({
		email,
		endedSince,
	}: {
		email: string | undefined;
		endedSince: number | undefined;
	}): OperatorSession[] {
		const listed = Object.keys(shape)
			.map((name) => `s.${name}`)
			.join(", ");
		const rows = this.#store
			.query(
				{ ...shape, email: text },
				`SELECT ${listed}, a.email FROM sessions s JOIN accounts a ON a.id = s.account_id
				WHERE (@email IS NULL OR a.email = @email)
				AND (s.status <> 'ended' OR (@since IS NOT NULL AND s.ended_at >= @since))
				ORDER BY s.created_at DESC, s.rowid DESC`,
			)
			.all({ email: email ?? null, since: endedSince ?? null });
		return rows.map((row) => ({ session: toSession(row), email: row.email }));
	}

	/** Newest first (spec 4.2). */
	list({ accountId, startedByKind, endedSince, limit }: SessionFilter): Session[] {
		const parameters = { accountId, kind: startedByKind, limit };
		const rows =
			endedSince === undefined
				? this.#listLive.all(parameters)
				: this.#listAll.all({ ...parameters, since: endedSince });
		return rows.map(toSession);
	}
}
