/**
 * Starts, finds and ends sessions. The row comes first: it is written before anything is done for a session, and changed
 * before anything is undone; what is attached to a session ends by its signal.
 */
import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { orAborted } from "../base/wait.ts";
import type { Exit } from "../egress/exit.ts";
import type { SlotQuota } from "./admission.ts";
import type { IdempotentStarts } from "./idempotency.ts";
import { type Lease, LeaseBook } from "./lease.ts";
import { type EndedReason, next, type SessionEvent } from "./lifecycle.ts";
import type { BrowserHost, CdpAddress, RunningBrowser, SessionImage } from "./ports.ts";
import { dueEvent } from "./reaper.ts";
import { HISTORY_MS, isLive, type Session } from "./session.ts";
import { runSession } from "./session-run.ts";
import type { SessionStore } from "./session-store.ts";
import type { SessionTokens } from "./session-token.ts";
import type { Caller, Starter } from "./starter.ts";

const TOUCH_EVERY_MS = 5_000;

export interface SessionManagerOptions {
	store: SessionStore;
	host: BrowserHost;
	tokens: SessionTokens;
	clock: Clock;
	log: Log;
	starter: Starter;
	idempotentStarts: IdempotentStarts;
	limits: { idleTimeoutMs: number; startTimeoutMs: number };
	/** Of these live sessions the ids whose subscription has no runtime left. */
	withoutRuntime(live: readonly Session[], now: number): ReadonlySet<string>;
	/** Opens the session's way out on this unix socket. */
	openEgress(session: Session, exit: Exit, socketPath: string): Promise<AsyncDisposable>;
}

/** Why a session's signal aborted. */
export class SessionEnded extends Error {
	override readonly name = "SessionEnded";
	readonly reason: EndedReason;

	constructor(reason: EndedReason) {
		super(`the session has ended: ${reason}`);
		this.reason = reason;
	}
}

export interface Attachment extends Disposable {
	readonly lease: Lease;
	/** Aborts with a SessionEnded when the session ends. */
	readonly signal: AbortSignal;
	/** Resolves when the browser is ready; rejects with the signal's reason when the session ends before. */
	readonly cdp: Promise<CdpAddress>;
}

export type AttachResult =
	| { kind: "attached"; attachment: Attachment }
	| { kind: "ended"; reason: EndedReason }
	/** No such session, or not the token of this one: the two must not be told apart. */
	| { kind: "unknown" };

interface LiveSession {
	controller: AbortController;
	ready: PromiseWithResolvers<RunningBrowser>;
	/** Resolves when nothing of it is left on the machine. */
	settled: Promise<void>;
}

export class SessionManager {
	readonly #options: SessionManagerOptions;
	readonly #live = new Map<string, LiveSession>();
	readonly #leases: LeaseBook;
	/** What became of sessions but could not be written to their rows yet: the disk was full. */
	readonly #unwritten = new Map<string, SessionEvent>();
	/** The sessions whose rows could not be written at the last attempt. */
	readonly #failing = new Set<string>();
	#isClosing = false;
	#touchedAt = 0;

	constructor(options: SessionManagerOptions) {
		this.#options = options;
		this.#leases = new LeaseBook((id) => this.#touch([id]));
	}

	/** Starts a session (spec 4.1) and answers while its browser is still starting. Throws a Refusal. */
	async start(caller: Caller, body: unknown): Promise<{ session: Session; quota: SlotQuota }> {
		this.#refuseWhileClosing();
		const { session, quota, run } = await this.#options.starter.start(caller, body);
		if (this.#isClosing) this.#note(session.id, { type: "stopRequested" });
		this.#refuseWhileClosing();
		if (run !== undefined) this.#run(session, run);
		return { session, quota };
	}

	/** The sessions started by the API or MCP, newest first (spec 4.2). `all` adds those that ended in the last 30 days. */
	list(accountId: number, options: { all: boolean; limit: number }): Session[] {
		const { store, clock } = this.#options;
		const endedSince = options.all ? clock.now() - HISTORY_MS : undefined;
		return store.list({ accountId, startedByKind: "agent", endedSince, limit: options.limit });
	}

	/** Throws the same Refusal for an unknown id and for another account's session (spec 4.3). */
	get(accountId: number, id: string): Session {
		const session = this.#options.store.find(id);
		if (session === undefined || session.accountId !== accountId) throw new Refusal("session-unknown", {});
		return session;
	}

	/** Ends a session (spec 4.4); one that has ended already keeps its reason. */
	stop(accountId: number, id: string): void {
		this.get(accountId, id);
		this.#apply(id, { type: "stopRequested" });
	}

	/** Joins a client to a session by the session's own token (spec 5.9). */
	attach(id: string, token: string): AttachResult {
		const isAllowed = this.#options.tokens.matches(id, token);
		const session = this.#options.store.find(id);
		if (!isAllowed || session === undefined) return { kind: "unknown" };
		if (session.state.status === "ended") return { kind: "ended", reason: session.state.reason };
		const live = this.#live.get(id);
		if (live === undefined) return { kind: "ended", reason: "lost" };
		const lease = this.#leases.take(id);
		const { signal } = live.controller;
		const cdp = orAborted(live.ready.promise, signal).then((browser) => browser.cdp);
		// A client that leaves before the browser is ready asks no more for the answer.
		cdp.catch(() => {});
		return {
			kind: "attached",
			attachment: { lease, signal, cdp, [Symbol.dispose]: () => lease[Symbol.dispose]() },
		};
	}

	/** Ends what is due and keeps `lastseen` of attached sessions fresh. Called once a second. */
	tick(): void {
		const { store, idempotentStarts, clock, limits } = this.#options;
		const now = clock.now();
		const isTimeToTouch = now - this.#touchedAt >= TOUCH_EVERY_MS;
		if (isTimeToTouch) {
			this.#touchedAt = now;
			this.#touch(this.#leases.held());
		}
		for (const [id, event] of this.#unwritten) this.#note(id, event);
		const live = store.live();
		const withoutRuntime = this.#options.withoutRuntime(live, now);
		for (const session of live) {
			const { id } = session;
			const circumstances = {
				isAttached: this.#leases.count(id) > 0,
				isOutOfRuntime: withoutRuntime.has(id),
			};
			const event = dueEvent(session, circumstances, limits, now);
			// Not kept when it cannot be written: what is due is asked anew in a second, and may have changed.
			if (event !== undefined) this.#tryToApply(id, event);
		}
		// Last: on a full disk it throws, and what is due is more urgent.
		if (isTimeToTouch) idempotentStarts.purge(now);
	}

	/** Ends the rows and the leftovers of a daemon that is gone. Called once, before the first start. */
	async recover(): Promise<void> {
		const { store, host, log } = this.#options;
		const orphans = store.live();
		for (const { id } of orphans)
			this.#apply(id, { type: "browserLost", detail: "the daemon ended while the session was live" });
		const swept = await host.sweep(new Set());
		if (orphans.length + swept > 0)
			log.warn({ lost: orphans.length, folders: swept }, "cleared up after an earlier run");
	}

	/** Ends every session and resolves when nothing of them is left. */
	async endAll(): Promise<void> {
		this.#isClosing = true;
		for (const { id } of this.#options.store.live()) this.#note(id, { type: "stopRequested" });
		// Also those whose rows could not be written: no browser outlives this.
		for (const { controller } of this.#live.values()) controller.abort(new SessionEnded("stopped"));
		await this.settled();
	}

	/** Resolves when nothing is left of the sessions that have ended so far. */
	async settled(): Promise<void> {
		const ending = [...this.#live.values()].filter(({ controller }) => controller.signal.aborted);
		await Promise.all(ending.map(({ settled }) => settled));
	}

	#refuseWhileClosing(): void {
		if (this.#isClosing) throw new Refusal("shutting-down", {}, { status: "error", code: "internal_error" });
	}

	#run(session: Session, { image, exit }: { image: SessionImage; exit: Exit }): void {
		const { id, screen, url } = session;
		const { host, openEgress, limits, log } = this.#options;
		const controller = new AbortController();
		const ready = Promise.withResolvers<RunningBrowser>();
		const settled = runSession({
			sessionId: id,
			request: { image, screen, url },
			host,
			openEgress: (socketPath) => openEgress(session, exit, socketPath),
			startTimeoutMs: limits.startTimeoutMs,
			signal: controller.signal,
			onReady: ready.resolve,
			onEvent: (event) => this.#note(id, event),
		})
			.catch((error) => log.error({ session: id, err: error }, "the session could not be cleared up"))
			.finally(() => this.#live.delete(id));
		this.#live.set(id, { controller, ready, settled });
	}

	/** Best effort: a client is not turned away because its visit cannot be written down. */
	#touch(ids: readonly string[]): void {
		if (ids.length === 0) return;
		const { store, clock, log } = this.#options;
		try {
			store.transaction(() => {
				for (const id of ids) store.touch(id, clock.now());
			});
		} catch (error) {
			log.warn({ err: error }, "lastseen could not be written");
		}
	}

	/** Applies what has happened anyway: when the row cannot be written, it is tried again every second. */
	#note(id: string, event: SessionEvent): void {
		if (this.#tryToApply(id, event)) this.#unwritten.delete(id);
		else this.#unwritten.set(id, event);
	}

	/** False when the row could not be written; logged at the first failure of a session. */
	#tryToApply(id: string, event: SessionEvent): boolean {
		try {
			this.#apply(id, event);
			this.#failing.delete(id);
			return true;
		} catch (error) {
			if (!this.#failing.has(id))
				this.#options.log.error({ session: id, err: error }, "the session's row could not be written");
			this.#failing.add(id);
			return false;
		}
	}

	#apply(id: string, event: SessionEvent): void {
		const { store, clock, log } = this.#options;
		const session = store.find(id);
		if (session === undefined || !isLive(session)) return;
		const now = clock.now();
		const state = next(session.state, event, now);
		store.saveState(id, state, now);
		if (state.status !== "ended") {
			log.info({ session: id, ms: now - session.createdAt }, "browser ready");
			return;
		}
		log.info(
			{ session: id, reason: state.reason, ...(state.detail === null ? {} : { detail: state.detail }) },
			"session ended",
		);
		this.#live.get(id)?.controller.abort(new SessionEnded(state.reason));
	}
}
