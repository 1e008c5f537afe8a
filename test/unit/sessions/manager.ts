/** A session manager over a real database, a fake browser host and a clock that stands still. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RefusalKey } from "../../../src/base/errors.ts";
import type { Pool } from "../../../src/sessions/admission.ts";
import type { Session } from "../../../src/sessions/session.ts";
import { type Caller, SessionManager } from "../../../src/sessions/session-manager.ts";
import { SessionStore } from "../../../src/sessions/session-store.ts";
import { SessionTokens } from "../../../src/sessions/session-token.ts";
import { openStore } from "../../../src/store/database.ts";
import type { Store } from "../../../src/store/driver.ts";
import { FakeBrowserHost } from "../../support/fake-browser-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { captureLog } from "../../support/log-lines.ts";
import { refusalOf } from "../../support/refusal-of.ts";
import { waitFor } from "../../support/wait-for.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const ada: Caller = { accountId: 1, appKeyId: null, startedByKind: "agent" };
export const bob: Caller = { accountId: 2, appKeyId: null, startedByKind: "agent" };

/** A row for what points at accounts and subscriptions. */
function addAccount(store: Store, id: number): void {
	store
		.command(
			`INSERT INTO accounts (id, email, firstname, lastname, password_hash, created_at)
			VALUES (@id, @email, '', '', '', 0)`,
		)
		.run({ id, email: `${id}@example.org` });
	store
		.command("INSERT INTO subscriptions (id, account_id, plan_id, created_at) VALUES (@id, @id, 'team', 0)")
		.run({ id });
}

export class ManagerFixture implements AsyncDisposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "barrel-manager-"));
	readonly database: Store = openStore({ dataDir: this.#folder });
	readonly store = new SessionStore(this.database);
	readonly host = new FakeBrowserHost();
	readonly clock = new FakeClock();
	readonly tokens = new SessionTokens("a secret");
	readonly logged = captureLog();
	/** The egress sockets that are open. */
	readonly egress = new Set<string>();
	readonly limits = { idleTimeoutMs: 5 * MINUTE_MS, lifetimeMs: 18 * HOUR_MS, startTimeoutMs: 30_000 };
	readonly pools = new Map<number, Pool[]>();
	readonly manager: SessionManager;

	constructor() {
		for (const id of [ada.accountId, bob.accountId]) {
			addAccount(this.database, id);
			this.pools.set(id, [{ subscriptionId: id, runningSessionLimit: 3 }]);
		}
		this.manager = this.another();
	}

	/** A further manager on the same rows, as after a restart. */
	another(): SessionManager {
		return new SessionManager({
			store: this.store,
			host: this.host,
			tokens: this.tokens,
			clock: this.clock,
			log: this.logged.log,
			limits: this.limits,
			imageOf: (id) => ({ id, executable: `/opt/${id}`, flags: [] }),
			poolsOf: (accountId) => this.pools.get(accountId) ?? [],
			openEgress: async (path) => {
				this.egress.add(path);
				return { [Symbol.asyncDispose]: async () => void this.egress.delete(path) };
			},
		});
	}

	/** Starts a session and answers its id. */
	start(caller: Caller = ada, body?: unknown): string {
		return this.manager.start(caller, body).session.id;
	}

	async startRunning(caller: Caller = ada, body?: unknown): Promise<string> {
		const id = this.start(caller, body);
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

	refusalOfStart(caller: Caller = ada, body?: unknown): RefusalKey {
		return refusalOf(() => this.manager.start(caller, body)).key;
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
		this.database.close();
		rmSync(this.#folder, { recursive: true, force: true });
		const left = [...this.host.remaining(), ...this.egress];
		if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
	}
}
