import type { Account } from "../accounts/account.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import type { AppKeyStore } from "../accounts/app-key-store.ts";
import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/errors.ts";

export interface Authenticated {
	account: Account;
	appKeyId: number;
}

export interface AuthenticateOptions {
	accounts: AccountStore;
	appKeys: AppKeyStore;
	clock: Clock;
}

function bearer(request: Request): string | undefined {
	return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Who asks, by the app key in the Authorization header and nowhere else (spec 5). Throws a Refusal. */
export function authenticate(
	request: Request,
	{ accounts, appKeys, clock }: AuthenticateOptions,
): Authenticated {
	const extra = { loggedIn: false };
	const given = bearer(request);
	if (given === undefined) throw new Refusal("key-missing", {}, { extra });
	const now = clock.now();
	const found = appKeys.findByKey(given, now);
	if (found === undefined) throw new Refusal("key-invalid", {}, { extra });
	const { account, key } = found;
	appKeys.recordUse(key.id, now);
	if (!account.verified) throw new Refusal("account-unverified", {}, { extra: { verified: false } });
	const plans = accounts.activeSubscriptions(account.id, now).map((subscription) => subscription.plan);
	if (!plans.some((plan) => plan.features.includes("programmatic_access")))
		throw new Refusal("plan-without-api", {}, { status: "upgrade" });
	return { account, appKeyId: key.id };
}
