/** The people of the contract tests: accounts with a key, and what they do with it. */
import type { Account } from "../../src/accounts/account.ts";
import type { AccountStore } from "../../src/accounts/account-store.ts";
import type { AppKeyStore } from "../../src/accounts/app-key-store.ts";
import type { SessionManager } from "../../src/sessions/session-manager.ts";
import { type Answer, answerOf } from "./contract-answer.ts";
import type { FakeBrowserHost } from "./fake-browser-host.ts";
import type { FakeClock } from "./fake-clock.ts";
import { waitFor } from "./wait-for.ts";

export interface NewUser {
	plan?: string;
	/** Beside `plan`, one subscription each. */
	furtherPlans?: readonly string[];
	verified?: boolean;
	expiresAt?: number | null;
}

export interface User {
	account: Account;
	key: string;
	keyId: number;
	/** A call with this user's key. `body` is sent as JSON unless it is a string. */
	call(method: string, path: string, body?: unknown): Promise<Answer>;
	/** Starts a session and answers its id; fails the test when it is refused. */
	start(body?: object): Promise<string>;
	startRunning(body?: object): Promise<string>;
	/** Starts a session by hand, as the web app will. */
	startByHand(body?: object): Promise<string>;
	/** The same account with another key. */
	withAnotherKey(): User;
}

export interface ContractUsersOptions {
	baseUrl: string;
	accounts: AccountStore;
	appKeys: AppKeyStore;
	sessions: SessionManager;
	host: FakeBrowserHost;
	clock: FakeClock;
}

export class ContractUsers {
	readonly #options: ContractUsersOptions;
	#added = 0;

	constructor(options: ContractUsersOptions) {
		this.#options = options;
	}

	async add({
		plan = "team",
		furtherPlans = [],
		verified = true,
		expiresAt = null,
	}: NewUser = {}): Promise<User> {
		const { accounts, clock } = this.#options;
		this.#added += 1;
		const person = {
			email: `user${this.#added}@example.org`,
			firstname: `First${this.#added}`,
			lastname: `Last${this.#added}`,
		};
		const account = await accounts.add(
			{ ...person, password: "password", planIds: [plan, ...furtherPlans], verified },
			clock.now(),
		);
		return this.#withNewKey(account, expiresAt);
	}

	again({ account, key, keyId }: User): User {
		return this.#user(account, { key, keyId });
	}

	#withNewKey(account: Account, expiresAt: number | null): User {
		const { appKeys, clock } = this.#options;
		const { key, appKey } = appKeys.add({ account, name: "test", expiresAt }, clock.now());
		return this.#user(account, { key, keyId: appKey.id });
	}

	#user(account: Account, { key, keyId }: { key: string; keyId: number }): User {
		const { baseUrl, sessions, host } = this.#options;
		const call: User["call"] = (method, path, body) =>
			answerOf(baseUrl, path, {
				method,
				headers: {
					authorization: `Bearer ${key}`,
					...(body === undefined ? {} : { "content-type": "application/json" }),
				},
				...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
			});
		const start = async (body: object = {}): Promise<string> => {
			const answer = await call("POST", "/web/sessions", body);
			if (answer.body["status"] !== "ok") throw new Error(`the start was refused: ${answer.text}`);
			return String(answer.body["id"]);
		};
		return {
			account,
			key,
			keyId,
			call,
			start,
			startRunning: async (body) => {
				const id = await start(body);
				const browser = await host.browserOf(id);
				browser.becomeReady();
				await waitFor(() => sessions.get(account.id, id).state.status === "running", `${id} is running`);
				return id;
			},
			startByHand: async (body = {}) => {
				const caller = { accountId: account.id, appKeyId: null, startedByKind: "app" } as const;
				return (await sessions.start(caller, body)).session.id;
			},
			withAnotherKey: () => this.#withNewKey(account, null),
		};
	}
}
