import { integer, nullable, type RowOf, text } from "../store/columns.ts";
import type { Command, Query, Store } from "../store/driver.ts";
import { getPlan, type Plan } from "./plan.ts";

/** An account's claim to a plan, a pool of slots of its own. */
export interface Subscription {
	readonly id: number;
	readonly accountId: number;
	readonly planId: string;
	readonly createdAt: number;
	/** The last millisecond it is valid; null when it goes on. */
	readonly endsAt: number | null;
}

export interface ActiveSubscription extends Subscription {
	readonly plan: Plan;
}

const columns = {
	id: integer,
	account_id: integer,
	plan_id: text,
	created_at: integer,
	ends_at: nullable(integer),
};
type Row = RowOf<typeof columns>;

export type NewSubscription = { accountId: number; planId: string; endsAt?: number | null };

export class SubscriptionStore {
	readonly #plans: readonly Plan[];
	readonly #insert: Command;
	readonly #ofAccount: Query<Row>;

	constructor(store: Store, plans: readonly Plan[]) {
		this.#plans = plans;
		this.#insert = store.command(
			"INSERT INTO subscriptions (account_id, plan_id, created_at, ends_at) VALUES (@accountId, @planId, @now, @endsAt)",
		);
		this.#ofAccount = store.query(
			columns,
			"SELECT * FROM subscriptions WHERE account_id = @accountId ORDER BY id",
		);
	}

	/** Throws an OperatorError when the configuration has no such plan. */
	add({ accountId, planId, endsAt = null }: NewSubscription, now: number): Subscription {
		getPlan(this.#plans, planId);
		const { insertedId: id } = this.#insert.run({ accountId, planId, endsAt, now });
		return { id, accountId, planId, createdAt: now, endsAt };
	}

	/** The valid ones, oldest first. One whose plan is no longer configured grants nothing and is left out. */
	active(accountId: number, now: number): ActiveSubscription[] {
		return this.#ofAccount.all({ accountId }).flatMap((row) => {
			const plan = this.#plans.find((candidate) => candidate.id === row.plan_id);
			if (plan === undefined || (row.ends_at !== null && row.ends_at < now)) return [];
			return [{ ...toSubscription(row), plan }];
		});
	}
}

function toSubscription(row: Row): Subscription {
	return {
		id: row.id,
		accountId: row.account_id,
		planId: row.plan_id,
		createdAt: row.created_at,
		endsAt: row.ends_at,
	};
}
