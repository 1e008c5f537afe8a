import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccountStore } from "../../../src/accounts/account-store.ts";
import { AppKeyStore } from "../../../src/accounts/app-key-store.ts";
import type { Plan } from "../../../src/accounts/plan.ts";
import { openStore } from "../../../src/store/database.ts";
import type { Store } from "../../../src/store/driver.ts";

export const DAY_MS = 24 * 60 * 60 * 1_000;
export const NOW = Date.parse("2026-03-01T12:00:00.000Z");

const unlimited = { cycleSessionLimit: null, runtimeMinutes: null, residentialMb: null } as const;
export const plans: readonly Plan[] = [
	{ id: "analyst", name: "Analyst", runningSessionLimit: 3, features: ["programmatic_access"], ...unlimited },
	{ id: "team", name: "Team", runningSessionLimit: 5, features: [], ...unlimited },
];

export const ada = {
	email: "Ada@Example.org",
	firstname: "Ada",
	lastname: "Lovelace",
	password: "difference engine",
	planIds: ["analyst"],
	verified: true,
} as const;

/** The stores of accounts and keys over a database of their own. */
export class AccountsFixture implements Disposable {
	readonly #root = mkdtempSync(join(tmpdir(), "barrel-accounts-"));
	readonly store: Store = openStore({ dataDir: this.#root });
	readonly accounts = new AccountStore(this.store, plans);
	readonly keys = new AppKeyStore(this.store, this.accounts);

	/** The accounts as a daemon with other plans would see them. */
	accountsWith(otherPlans: readonly Plan[]): AccountStore {
		return new AccountStore(this.store, otherPlans);
	}

	insertSession(accountId: number, status: "starting" | "running" | "ended"): void {
		const ended = status === "ended";
		this.store
			.command(
				`INSERT INTO sessions (id, account_id, started_by_kind, name, image, screen_width, screen_height, status,
				                       created_at, last_seen_at, expires_at, ended_at, ended_reason)
				 VALUES (@id, @accountId, 'agent', 'n', 'chrome', 1366, 768, @status, 1, 1, 1, @endedAt, @endedReason)`,
			)
			.run({
				id: crypto.randomUUID(),
				accountId,
				status,
				endedAt: ended ? 2 : null,
				endedReason: ended ? "stopped" : null,
			});
	}

	[Symbol.dispose](): void {
		this.store.close();
		rmSync(this.#root, { recursive: true, force: true });
	}
}
