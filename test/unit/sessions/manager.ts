/** A session manager over a real database, a fake browser host and a clock that stands still. */
import type { RefusalKey } from "../../../src/base/errors.ts";
import type { Exit } from "../../../src/egress/exit.ts";
import type { Session } from "../../../src/sessions/session.ts";
import { SessionManager } from "../../../src/sessions/session-manager.ts";
import { SessionTokens } from "../../../src/sessions/session-token.ts";
import type { Caller } from "../../../src/sessions/starter.ts";
import { captureLog } from "../../support/log-lines.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ada, refusalFrom, StarterFixture, type StarterFixtureOptions } from "./starter-fixture.ts";

export { ada, bob } from "./starter-fixture.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export class ManagerFixture implements AsyncDisposable {
	readonly starts: StarterFixture;
	readonly tokens = new SessionTokens("a secret");
	readonly logged = captureLog();
	/** The egress sockets that are open. */
	readonly egress = new Set<string>();
	/** The way out of every session so far. */
	readonly exits = new Map<string, Exit>();
	readonly limits = { idleTimeoutMs: 5 * MINUTE_MS, startTimeoutMs: 30_000 };
	readonly manager: SessionManager;

	constructor(options: StarterFixtureOptions = {}) {
		this.starts = new StarterFixture(options);
		this.manager = this.another();
	}

	get host() {
		return this.starts.host;
	}

	get database() {
		return this.starts.database;
	}

	get store() {
		return this.starts.store;
	}

	get clock() {
		return this.starts.clock;
	}

	/** A further manager on the same rows, as after a restart. */
	another(): SessionManager {
		const { store, clock, idempotentStarts, allowances } = this.starts;
		return new SessionManager({
			store,
			host: this.host,
			tokens: this.tokens,
			clock,
			log: this.logged.log,
			starter: this.starts.another(),
			idempotentStarts,
			limits: this.limits,
			withoutRuntime: (live, now) => allowances.withoutRuntime(live, now),
			openEgress: async (session, exit, path) => {
				this.exits.set(session.id, exit);
				this.egress.add(path);
				return { [Symbol.asyncDispose]: async () => void this.egress.delete(path) };
			},
		});
	}

	/** Starts a session and answers its id. */
	async start(caller: Caller = ada, body?: unknown): Promise<string> {
		const { session } = await this.manager.start(caller, body);
		return session.id;
	}

	async startRunning(caller: Caller = ada, body?: unknown): Promise<string> {
		const id = await this.start(caller, body);
		const browser = await this.host.browserOf(id);
		browser.becomeReady();
		await this.until(id, "running");
		return id;
	}

	session(id: string): Session {
		const session = this.store.find(id);
		if (session === undefined) throw new Error(`there is no row ${id}`);
		return session;
	}

	/** "starting", "running", or the reason of the end. */
	stateOf(id: string): string {
		const { state } = this.session(id);
		return state.status === "ended" ? state.reason : state.status;
	}

	/** Why the browser failed, as the operator sees it. */
	detailOf(id: string): string | null {
		const { state } = this.session(id);
		return state.status === "ended" ? state.detail : null;
	}

	until(id: string, state: string): Promise<void> {
		return waitFor(() => this.stateOf(id) === state, `${id} is ${state}; it is ${this.stateOf(id)}`);
	}

	async refusalOfStart(caller: Caller = ada, body?: unknown): Promise<RefusalKey> {
		const { key } = await refusalFrom(this.manager.start(caller, body));
		return key;
	}

	attach(id: string) {
		const result = this.manager.attach(id, this.tokens.of(id));
		if (result.kind !== "attached") throw new Error(`not attached: ${result.kind}`);
		return result.attachment;
	}

	/** Moves time on in steps of a minute, as the reaper would see it. */
	pass(ms: number): void {
		for (let left = ms; left > 0; left -= MINUTE_MS) {
			this.clock.advance(Math.min(left, MINUTE_MS));
			this.manager.tick();
		}
	}

	/** Fails when a browser or a way out is left. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.manager.endAll();
		this.starts[Symbol.dispose]();
		const left = [...this.host.remaining(), ...this.egress];
		if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
	}
}
