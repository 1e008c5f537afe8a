/** Accounts and their subscriptions in SQLite. Whatever an operator can get wrong is an OperatorError of one sentence. */
import { OperatorError } from "../base/errors.ts";
import { integer, nullable, type RowOf, text } from "../store/columns.ts";
import type { Query, Store } from "../store/driver.ts";
import { type Account, parseEmail, parsePersonName } from "./account.ts";
import { hashPassword, isPassword } from "./password.ts";
import { getPlan, type Plan } from "./plan.ts";
import { type ActiveSubscription, type Subscription, SubscriptionStore } from "./subscription.ts";

const columns = {
	id: integer,
	email: text,
	firstname: text,
	lastname: text,
	password_hash: text,
	verified_at: nullable(integer),
	created_at: integer,
};
type Row = RowOf<typeof columns>;

export type NewAccount = {
	email: string;
	firstname: string;
	lastname: string;
	password: string;
	/** One subscription each. */
	planIds: readonly string[];
	verified: boolean;
};

export class AccountStore {
	readonly #store: Store;
	readonly #plans: readonly Plan[];
	readonly #subscriptions: SubscriptionStore;
	readonly #byId: Query<Row>;
	readonly #byEmail: Query<Row>;

	constructor(store: Store, plans: readonly Plan[]) {
		this.#store = store;
		this.#plans = plans;
		this.#subscriptions = new SubscriptionStore(store, plans);
		this.#byId = store.query(columns, "SELECT * FROM accounts WHERE id = @id");
		this.#byEmail = store.query(columns, "SELECT * FROM accounts WHERE email = @email");
	}

	async add(input: NewAccount, now: number): Promise<Account> {
		const email = parseEmail(input.email);
		const firstname = parsePersonName(input.firstname, "--firstname");
		const lastname = parsePersonName(input.lastname, "--lastname");
		for (const planId of input.planIds) getPlan(this.#plans, planId);
		this.#refuseTaken(email);
		const passwordHash = await hashPassword(input.password);
		return this.#store.transaction(() => {
			this.#refuseTaken(email);
			const { insertedId: id } = this.#store
				.command(
					`INSERT INTO accounts (email, firstname, lastname, password_hash, verified_at, created_at)
					 VALUES (@email, @firstname, @lastname, @passwordHash, @verifiedAt, @now)`,
				)
				.run({ email, firstname, lastname, passwordHash, verifiedAt: input.verified ? now : null, now });
			for (const planId of input.planIds) this.#subscriptions.add({ accountId: id, planId }, now);
			return { id, email, firstname, lastname, verified: input.verified, createdAt: now };
		});
	}

	/** All of them, oldest first. */
	list(): Account[] {
		return this.#store.query(columns, "SELECT * FROM accounts ORDER BY id").all().map(toAccount);
	}

	find(id: number): Account | undefined {
		const row = this.#byId.find({ id });
		return row && toAccount(row);
	}

	findByEmail(email: string): Account | undefined {
		const row = this.#byEmail.find({ email: email.trim() });
		return row && toAccount(row);
	}

	/** Throws an OperatorError when nobody has this address. */
	getByEmail(email: string): Account {
		const account = this.findByEmail(email);
		if (account !== undefined) return account;
		throw new OperatorError(
			`there is no account with the e-mail address ${JSON.stringify(email.trim())}; "barrel account list" shows them all`,
		);
	}

	/** The account when both are right. It takes equally long to say no to a wrong password and to an unknown address. */
	async findByPassword(email: string, password: string): Promise<Account | undefined> {
		const row = this.#byEmail.find({ email: email.trim() });
		const isRight = await isPassword(password, row?.password_hash);
		return row && isRight ? toAccount(row) : undefined;
	}

	/** Confirms the e-mail address; nothing changes when it is confirmed already. */
	verify(email: string, now: number): Account {
		const account = this.getByEmail(email);
		this.#store
			.command("UPDATE accounts SET verified_at = @now WHERE id = @id AND verified_at IS NULL")
			.run({ id: account.id, now });
		return { ...account, verified: true };
	}

	async setPassword(email: string, password: string): Promise<Account> {
		const account = this.getByEmail(email);
		const passwordHash = await hashPassword(password);
		this.#store
			.command("UPDATE accounts SET password_hash = @passwordHash WHERE id = @id")
			.run({ id: account.id, passwordHash });
		return account;
	}

	/** A further subscription, up to and including `endsAt` (milliseconds; null: it goes on). */
	subscribe(
		email: string,
		planId: string,
		{ now, endsAt = null }: { now: number; endsAt?: number | null },
	): Subscription {
		return this.#store.transaction(() =>
			this.#subscriptions.add({ accountId: this.getByEmail(email).id, planId, endsAt }, now),
		);
	}

	activeSubscriptions(accountId: number, now: number): ActiveSubscription[] {
		return this.#subscriptions.active(accountId, now);
	}

	/** Deletes the account with its keys and the record of its sessions; refused while a session of it is live. */
	remove(email: string): Account {
		return this.#store.transaction(() => {
			const account = this.getByEmail(email);
			const { live } = this.#store
				.query(
					{ live: integer },
					"SELECT count(*) AS live FROM sessions WHERE account_id = @id AND status <> 'ended'",
				)
				.get({ id: account.id });
			if (live > 0) {
				throw new OperatorError(
					`${account.email} still has ${live === 1 ? "a live session" : `${live} live sessions`}; stop ${live === 1 ? "it" : "them"} first with "barrel session stop"`,
				);
			}
			this.#store.command("DELETE FROM accounts WHERE id = @id").run({ id: account.id });
			return account;
		});
	}

	#refuseTaken(email: string): void {
		const taken = this.findByEmail(email);
		if (taken !== undefined)
			throw new OperatorError(`there is an account with the e-mail address ${taken.email} already`);
	}
}

function toAccount(row: Row): Account {
	return {
		id: row.id,
		email: row.email,
		firstname: row.firstname,
		lastname: row.lastname,
		verified: row.verified_at !== null,
		createdAt: row.created_at,
	};
}
