/** Accounts, subscriptions, sessions and bytes as rows of a real database, and what is reported of them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "../../../src/accounts/account.ts";
import { AccountStore } from "../../../src/accounts/account-store.ts";
import { AppKeyStore } from "../../../src/accounts/app-key-store.ts";
import type { Feature, Plan } from "../../../src/accounts/plan.ts";
import type { ActiveSubscription } from "../../../src/accounts/subscription.ts";
import { authenticate } from "../../../src/api/authenticate.ts";
import { readQuota } from "../../../src/api/routes/read-quota.ts";
import { readUsage } from "../../../src/api/routes/read-usage.ts";
import { Refusal } from "../../../src/base/errors.ts";
import { newSessionId } from "../../../src/base/ids.ts";
import type { ExitKind, StartedByKind } from "../../../src/sessions/session.ts";
import { openStore } from "../../../src/store/database.ts";
import type { Store } from "../../../src/store/driver.ts";
import { Allowances } from "../../../src/usage/allowance.ts";
import { quotaReport } from "../../../src/usage/quota-report.ts";
import { usageReport } from "../../../src/usage/usage-report.ts";
import type { UsageSources } from "../../../src/usage/usage-sources.ts";
import { UsageStore } from "../../../src/usage/usage-store.ts";
import { FakeClock } from "../../support/fake-clock.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const MB = 1024 * 1024;

/** What the fixture's clock shows. */
export const NOW = Date.parse("2026-03-20T12:00:00.000Z");
/** Of subscriptions that the fixture makes, unless the test says something else. */
const SUBSCRIBED = Date.parse("2026-01-10T09:30:00.000Z");
/** When their cycle began. */
export const CYCLE_START = Date.parse("2026-03-10T00:00:00.000Z");
export const CYCLE_END = Date.parse("2026-04-10T00:00:00.000Z");

const allFeatures: readonly Feature[] = ["programmatic_access", "residential"];

/** A plan with 3 slots, no limits and API access, but for what the test says. */
export function aPlan(id: string, differences: Partial<Plan> = {}): Plan {
	return {
		id,
		name: `The ${id} plan`,
		runningSessionLimit: 3,
		cycleSessionLimit: null,
		runtimeMinutes: null,
		residentialMb: null,
		features: allFeatures,
		...differences,
	};
}

export const team = aPlan("team");
export const pack = aPlan("pack", { runningSessionLimit: 0, residentialMb: 500, features: ["residential"] });

export interface SessionRow {
	accountId?: number;
	subscriptionId?: number | null;
	kind?: StartedByKind;
	/** When it started. */
	from: number;
	/** When it ended; left out while it is live. */
	to?: number;
	exit?: ExitKind;
}

export class UsageFixture implements Disposable {
	readonly #folder = mkdtempSync(join(tmpdir(), "barrel-usage-"));
	readonly database: Store = openStore({ dataDir: this.#folder });
	readonly clock = new FakeClock("2026-03-20T12:00:00.000Z");
	readonly accounts: AccountStore;
	readonly usage = new UsageStore(this.database);
	readonly sources: UsageSources;
	readonly allowances: Allowances;
	readonly #appKeys: AppKeyStore;

	/** Has the accounts 1 and 2, both without a subscription. */
	constructor(plans: readonly Plan[] = [team, pack]) {
		this.accounts = new AccountStore(this.database, plans);
		this.#appKeys = new AppKeyStore(this.database, this.accounts);
		this.sources = {
			usage: this.usage,
			subscriptionsOf: (accountId, now) => this.accounts.activeSubscriptions(accountId, now),
		};
		this.allowances = new Allowances({ ...this.sources, plans });
		for (const id of [1, 2]) {
			this.database
				.command(
					`INSERT INTO accounts (id, email, firstname, lastname, password_hash, verified_at, created_at)
					VALUES (@id, @email, '', '', '', 0, 0)`,
				)
				.run({ id, email: `${id}@example.org` });
		}
	}

	/** Answers the subscription's id. */
	subscribe(
		plan: Plan,
		{ accountId = 1, at = SUBSCRIBED, endsAt }: { accountId?: number; at?: number; endsAt?: number } = {},
	): number {
		return this.database
			.command(
				"INSERT INTO subscriptions (account_id, plan_id, created_at, ends_at) VALUES (@accountId, @planId, @at, @endsAt)",
			)
			.run({ accountId, planId: plan.id, at, endsAt: endsAt ?? null }).insertedId;
	}

	subscription(id: number): ActiveSubscription {
		const active = this.accounts.activeSubscriptions(1, this.clock.now());
		const found = active.find((subscription) => subscription.id === id);
		if (found === undefined) throw new Error(`there is no subscription ${id}`);
		return found;
	}

	/** Answers the session's id. */
	session({
		accountId = 1,
		subscriptionId = null,
		kind = "agent",
		from,
		to,
		exit = "direct",
	}: SessionRow): string {
		const id = newSessionId();
		this.database
			.command(
				`INSERT INTO sessions (id, account_id, subscription_id, started_by_kind, name, image, exit_kind, screen_width,
					screen_height, status, created_at, last_seen_at, expires_at, ended_at, ended_reason)
				VALUES (@id, @accountId, @subscriptionId, @kind, 'n', 'chrome', @exit, 1366,
					768, @status, @from, @from, @from, @endedAt, @reason)`,
			)
			.run({
				id,
				accountId,
				subscriptionId,
				kind,
				exit,
				from,
				status: to === undefined ? "running" : "ended",
				endedAt: to ?? null,
				reason: to === undefined ? null : "stopped",
			});
		return id;
	}

	end(sessionId: string): void {
		this.database
			.command(
				"UPDATE sessions SET status = 'ended', ended_at = @now, ended_reason = 'stopped' WHERE id = @sessionId",
			)
			.run({ sessionId, now: this.clock.now() });
	}

	/** Bytes that a session has moved in the hour that begins at `hour`, half of them each way. */
	moved(sessionId: string, hour: number, bytes: number, kind: ExitKind = "residential"): void {
		this.database
			.command(
				`INSERT INTO egress_bytes (session_id, exit_kind, hour, bytes_up, bytes_down)
				VALUES (@sessionId, @kind, @hour, @up, @down)`,
			)
			.run({ sessionId, kind, hour, up: Math.floor(bytes / 2), down: Math.ceil(bytes / 2) });
	}

	usageOf(accountId = 1) {
		return usageReport(accountId, this.sources, this.clock.now());
	}

	quotaOf(accountId = 1) {
		return quotaReport(accountId, this.sources, this.clock.now());
	}

	account(id = 1): Account {
		const account = this.accounts.find(id);
		if (account === undefined) throw new Error(`there is no account ${id}`);
		return account;
	}

	/** A new app key of the account. */
	key(accountId = 1): string {
		return this.#appKeys.add({ account: this.account(accountId), name: "test" }, this.clock.now()).key;
	}

	/** What a call answers, as JSON; a refusal as its status and further fields. */
	async get(path: "/web/usage" | "/user/quota", key?: string): Promise<unknown> {
		const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
		const request = new Request(`http://localhost/v8${path}`, { headers });
		const context = {
			authenticate: (from: Request) =>
				authenticate(from, { accounts: this.accounts, appKeys: this.#appKeys, clock: this.clock }),
			usageOf: (accountId: number) => this.usageOf(accountId),
			quotaOf: (accountId: number) => this.quotaOf(accountId),
		};
		try {
			const response = path === "/web/usage" ? readUsage(request, context) : readQuota(request, context);
			return await response.json();
		} catch (error) {
			if (error instanceof Refusal) return { status: error.status, ...error.extra };
			throw error;
		}
	}

	[Symbol.dispose](): void {
		this.database.close();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
