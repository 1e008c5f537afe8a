/** App keys in SQLite, as hashes. The key itself is answered once, by `add`, and is kept nowhere. */
import { OperatorError } from "../base/errors.ts";
import { newAppKey } from "../base/ids.ts";
import { sha256 } from "../base/secret.ts";
import { integer, nullable, type RowOf, text } from "../store/columns.ts";
import type { Command, Query, Store } from "../store/driver.ts";
import { type Account, parseKeyName } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import { type AppKey, isUsable } from "./app-key.ts";

const PREFIX_LENGTH = 13;
const USE_WRITTEN_EVERY_MS = 60_000;

const columns = {
	id: integer,
	account_id: integer,
	name: text,
	prefix: text,
	created_at: integer,
	last_used_at: nullable(integer),
	expires_at: nullable(integer),
	revoked_at: nullable(integer),
};
type Row = RowOf<typeof columns>;

export type NewAppKey = { account: Account; name: string; expiresAt?: number | null };

export class AppKeyStore {
	readonly #store: Store;
	readonly #accounts: AccountStore;
	readonly #byHash: Query<Row>;
	readonly #use: Command;
	/** When this process last wrote the use of a key. */
	readonly #useWrittenAt = new Map<number, number>();

	constructor(store: Store, accounts: AccountStore) {
		this.#store = store;
		this.#accounts = accounts;
		this.#byHash = store.query(columns, "SELECT * FROM app_keys WHERE hash = @hash");
		this.#use = store.command(
			"UPDATE app_keys SET last_used_at = @now WHERE id = @id AND (last_used_at IS NULL OR last_used_at < @now)",
		);
	}

	/** The only time that the key itself can be seen. */
	add(input: NewAppKey, now: number): { key: string; appKey: AppKey } {
		const { account, expiresAt = null } = input;
		const name = parseKeyName(input.name);
		const key = newAppKey();
		const prefix = key.slice(0, PREFIX_LENGTH);
		const { insertedId: id } = this.#store
			.command(
				`INSERT INTO app_keys (account_id, name, hash, prefix, created_at, expires_at)
				 VALUES (@accountId, @name, @hash, @prefix, @now, @expiresAt)`,
			)
			.run({ accountId: account.id, name, hash: sha256(key), prefix, now, expiresAt });
		const times = { createdAt: now, lastUsedAt: null, expiresAt, revokedAt: null };
		return { key, appKey: { id, accountId: account.id, name, prefix, ...times } };
	}

	/** The account's keys that were not revoked, oldest first. */
	list(accountId: number): AppKey[] {
		return this.#store
			.query(
				columns,
				"SELECT * FROM app_keys WHERE account_id = @accountId AND revoked_at IS NULL ORDER BY id",
			)
			.all({ accountId })
			.map(toAppKey);
	}

	/** Takes effect with the next request; an OperatorError when there is no such key. */
	revoke(id: number, now: number): AppKey {
		return this.#store.transaction(() => {
			const row = this.#store.query(columns, "SELECT * FROM app_keys WHERE id = @id").find({ id });
			if (row === undefined) {
				throw new OperatorError(
					`there is no app key ${id}; "barrel key list --account E" shows an account's keys`,
				);
			}
			const revokedAt = row.revoked_at ?? now;
			this.#store
				.command("UPDATE app_keys SET revoked_at = @revokedAt WHERE id = @id")
				.run({ id, revokedAt });
			return { ...toAppKey(row), revokedAt };
		});
	}

	/** Undefined when the key is unknown, revoked, past its date or unused for a year. */
	findByKey(key: string, now: number): { account: Account; key: AppKey } | undefined {
		const row = this.#byHash.find({ hash: sha256(key) });
		if (row === undefined) return undefined;
		const appKey = toAppKey(row);
		const account = this.#accounts.find(appKey.accountId);
		return account !== undefined && isUsable(appKey, now) ? { account, key: appKey } : undefined;
	}

	/** Notes that the key was used. At most one write a minute and key: a write is a synced commit. */
	recordUse(id: number, now: number): void {
		const writtenAt = this.#useWrittenAt.get(id);
		if (writtenAt !== undefined && now - writtenAt < USE_WRITTEN_EVERY_MS) return;
		this.#useWrittenAt.set(id, now);
		this.#use.run({ id, now });
	}
}

function toAppKey(row: Row): AppKey {
	return {
		id: row.id,
		accountId: row.account_id,
		name: row.name,
		prefix: row.prefix,
		createdAt: row.created_at,
		lastUsedAt: row.last_used_at,
		expiresAt: row.expires_at,
		revokedAt: row.revoked_at,
	};
}
