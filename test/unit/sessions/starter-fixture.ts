/** A Starter over a real database, composed as the daemon composes it, and a clock that stands still. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccountStore } from "../../../src/accounts/account-store.ts";
import { AppKeyStore } from "../../../src/accounts/app-key-store.ts";
import type { Feature, Plan } from "../../../src/accounts/plan.ts";
import { Refusal } from "../../../src/base/errors.ts";
import { type ImageSettings, Images } from "../../../src/catalog/images.ts";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { checkUpstreamHost } from "../../../src/egress/exit.ts";
import type { Exits } from "../../../src/sessions/exit-choice.ts";
import { IdempotentStarts } from "../../../src/sessions/idempotency.ts";
import { SessionStore } from "../../../src/sessions/session-store.ts";
import { type StartLimits, StartRate } from "../../../src/sessions/start-rate.ts";
import { type Caller, type Start, Starter } from "../../../src/sessions/starter.ts";
import { openStore } from "../../../src/store/database.ts";
import type { Store } from "../../../src/store/driver.ts";
import { Allowances } from "../../../src/usage/allowance.ts";
import { ByteLedger } from "../../../src/usage/byte-ledger.ts";
import { UsageStore } from "../../../src/usage/usage-store.ts";
import { FakeBrowserHost } from "../../support/fake-browser-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { HOUR_MS } from "./a-session.ts";

export const ada: Caller = { accountId: 1, appKeyId: null, startedByKind: "agent" };
export const bob: Caller = { accountId: 2, appKeyId: null, startedByKind: "agent" };

const everyFeature: readonly Feature[] = [
	"programmatic_access",
	"locations",
	"own_proxy",
	"residential",
	"restricted_images",
];

/** A plan with 3 slots, every feature and no limits, but for what the test says. */
export function aPlan(id: string, differences: Partial<Plan> = {}): Plan {
	return {
		id,
		name: `The ${id} plan`,
		runningSessionLimit: 3,
		cycleSessionLimit: null,
		runtimeMinutes: null,
		residentialMb: null,
		features: everyFeature,
		...differences,
	};
}

export const team = aPlan("team");

export const exits: Exits = {
	locations: [
		{
			code: "de",
			name: "Germany",
			default: "de-munich",
			cities: [
				{ code: "de-berlin", location: "Berlin", proxy: "http://berlin.example:1001" },
				{ code: "de-munich", location: "Munich", proxy: "socks5://u:p@munich.example:1002" },
			],
		},
	],
	residential: {
		proxy: "http://user-{country}-{session}:p@residential.example:1003",
		countries: ["us", "fr"],
	},
};

export interface StarterFixtureOptions {
	/** The first one is what both accounts have. */
	plans?: readonly [Plan, ...Plan[]];
	starts?: StartLimits;
	exits?: Exits;
}

const manyStarts: StartLimits = { perMinute: 1_000, perHour: 1_000, perDay: 1_000 };

export class StarterFixture implements Disposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "barrel-starter-"));
	readonly #options: StarterFixtureOptions;
	readonly database: Store = openStore({ dataDir: this.#folder });
	readonly clock = new FakeClock();
	/** Whose browsers wait. */
	readonly host = new FakeBrowserHost();
	readonly store = new SessionStore(this.database);
	readonly idempotentStarts = new IdempotentStarts(this.database);
	/** What every image runs. */
	readonly executable = join(this.#folder, "browser");
	/** What proxies' names resolve to; others cannot be resolved. */
	readonly names = new Map([
		["proxy.example", ["198.41.0.4"]],
		["inside.example", ["10.0.0.7"]],
	]);
	/** Waited for by whoever resolves a name. */
	resolving: Promise<void> = Promise.resolve();
	lifetimeMs = 18 * HOUR_MS;
	readonly accounts: AccountStore;
	readonly allowances: Allowances;
	readonly ledger: ByteLedger;
	readonly starter: Starter;
	readonly #appKeys: AppKeyStore;

	/** Has the accounts 1 and 2, each with a subscription of the same number. */
	constructor(options: StarterFixtureOptions = {}) {
		this.#options = options;
		const plans = options.plans ?? [team];
		writeFileSync(this.executable, "#!/bin/sh\n");
		chmodSync(this.executable, 0o755);
		this.accounts = new AccountStore(this.database, plans);
		this.#appKeys = new AppKeyStore(this.database, this.accounts);
		this.allowances = new Allowances({
			usage: new UsageStore(this.database),
			subscriptionsOf: (accountId, now) => this.accounts.activeSubscriptions(accountId, now),
			plans,
		});
		this.ledger = new ByteLedger({
			store: this.database,
			now: () => this.clock.now(),
			residentialBytesLeft: (accountId, now) => this.allowances.residentialBytesLeft(accountId, now),
		});
		this.starter = this.another();
		for (const { accountId } of [ada, bob]) {
			this.database
				.command(
					`INSERT INTO accounts (id, email, firstname, lastname, password_hash, created_at)
					VALUES (@id, @email, '', '', '', 0)`,
				)
				.run({ id: accountId, email: `${accountId}@example.org` });
			this.subscribe(plans[0], accountId);
		}
	}

	/** A further Starter on the same rows, as after a restart. */
	another(): Starter {
		const { accounts, allowances, ledger, clock } = this;
		const starts = this.#options.starts ?? manyStarts;
		const startRate = new StartRate({ store: this.database, perAppKey: starts, perAccount: starts });
		const images = new Images(this.#images());
		const allow = parseAllowList([]);
		const resolve = async (host: string) => {
			await this.resolving;
			const addresses = this.names.get(host);
			if (addresses === undefined) throw new Error(`ENOTFOUND ${host}`);
			return addresses;
		};
		return new Starter({
			store: this.store,
			idempotentStarts: this.idempotentStarts,
			clock,
			lifetimeMs: this.lifetimeMs,
			spares: this.host,
			exits: this.#options.exits ?? exits,
			imageOf: (imageId, mayUseRestricted) => images.getUsable(imageId, mayUseRestricted),
			subscriptionsOf: (accountId) => accounts.activeSubscriptions(accountId, clock.now()),
			allowanceOf: (subscription, now) => allowances.allowanceOf(subscription, now),
			residentialBytesLeft: (accountId, now) => ledger.residentialBytesLeft(accountId, now),
			startDelayMs: ({ appKeyId, accountId }, now) => {
				const decision = startRate.check(appKeyId, accountId, now);
				return decision.allowed ? undefined : decision.retryAfterMs;
			},
			checkUpstream: (upstream) => checkUpstreamHost(upstream, allow, resolve),
		});
	}

	/** Answers the subscription's id. */
	subscribe(plan: Plan, accountId = ada.accountId): number {
		return this.accounts.subscribe(`${accountId}@example.org`, plan.id, { now: this.clock.now() }).id;
	}

	/** Takes the account every subscription that it has, as if there had never been one. */
	unsubscribe(accountId = ada.accountId): void {
		this.database.command("DELETE FROM subscriptions WHERE account_id = @accountId").run({ accountId });
	}

	/** The caller with a new app key of the account. */
	withKey(caller: Caller = ada): Caller & { appKeyId: number } {
		const account = this.accounts.find(caller.accountId);
		if (account === undefined) throw new Error(`there is no account ${caller.accountId}`);
		const { appKey } = this.#appKeys.add({ account, name: "test" }, this.clock.now());
		return { ...caller, appKeyId: appKey.id };
	}

	async start(caller: Caller = ada, body?: unknown): Promise<Start> {
		return this.starter.start(caller, body);
	}

	/** The Refusal of a start that takes no slot and starts nothing. */
	async refused(caller: Caller = ada, body?: unknown): Promise<Refusal> {
		const before = this.store.live();
		const refusal = await refusalFrom(this.start(caller, body));
		if (this.store.live().length !== before.length) throw new Error("a refused start has left a row");
		return refusal;
	}

	end(sessionId: string): void {
		const endedAt = this.clock.now();
		this.store.saveState(sessionId, { status: "ended", reason: "stopped", endedAt, detail: null }, endedAt);
	}

	[Symbol.dispose](): void {
		this.database.close();
		rmSync(this.#folder, { recursive: true, force: true });
	}

	#images(): ImageSettings[] {
		const ordinary = {
			picture: undefined,
			executable: this.executable,
			flags: ["--lang=de"],
			enabled: true,
			supportsProgrammatic: true,
			supportsAnalysis: false,
			requiresFeatureRestrictedImages: false,
		};
		return [
			{ ...ordinary, id: "chrome", name: "Chrome" },
			{ ...ordinary, id: "edge", name: "Edge" },
			{ ...ordinary, id: "vault", name: "Vault", requiresFeatureRestrictedImages: true },
		];
	}
}

/** The Refusal that the promise rejects with. Throws when it does not. */
export async function refusalFrom(promise: Promise<unknown>): Promise<Refusal> {
	try {
		await promise;
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
	throw new Error("nothing was refused");
}
