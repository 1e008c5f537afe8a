/** `barrel key …`: the app keys that API clients send. */
import { type Command, InvalidArgumentError } from "commander";
import type { AppKey } from "../accounts/app-key.ts";
import { parseEndOfDay } from "../accounts/end-of-day.ts";
import { systemClock, toIso } from "../base/clock.ts";
import { type CommonOptions, command, withCommonOptions } from "./command.ts";
import { print, table } from "./output.ts";
import { openWorkspace } from "./workspace.ts";

type KeyListOptions = CommonOptions & { account: string };
type NewKeyOptions = KeyListOptions & { name: string; expires?: string };

export const keyCommands: readonly Command[] = [
	withCommonOptions(
		command("add", {
			summary: "make an app key, which is shown only now",
			example: "barrel key add --account ada@example.org --name ci --expires 2027-12-31",
		})
			.requiredOption("--account <address>", "e-mail address of the account it acts for")
			.requiredOption("--name <name>", "what it is for, 1 to 64 characters")
			.option("--expires <date>", "last day, YYYY-MM-DD in UTC (default: none)"),
	).action(add),
	withCommonOptions(
		command("list", {
			summary: "list the app keys of an account",
			example: "barrel key list --account ada@example.org",
		}).requiredOption("--account <address>", "e-mail address of the account"),
	).action(list),
	withCommonOptions(
		command("revoke", {
			summary: "revoke an app key, at once and for good",
			example: "barrel key revoke 3",
		}).argument("<id>", "number of the key in `barrel key list`", parseId),
	).action(revoke),
];

function parseId(text: string): number {
	if (!/^\d{1,15}$/.test(text))
		throw new InvalidArgumentError("It is the number that `barrel key list` shows.");
	return Number(text);
}

function add(options: NewKeyOptions): void {
	using workspace = openWorkspace(options);
	const now = systemClock.now();
	const account = workspace.accounts.getByEmail(options.account);
	const expiresAt = options.expires === undefined ? null : parseEndOfDay(options.expires, now);
	const { key, appKey } = workspace.keys.add({ account, name: options.name, expiresAt }, now);
	const { id, name, prefix } = appKey;
	const value = {
		id,
		key,
		name,
		prefix,
		createdAt: toIso(appKey.createdAt),
		expiresAt: isoOrNull(expiresAt),
	};
	print(options, value, [`made key ${id} for ${account.email}`, `key (shown only now): ${key}`]);
}

function list(options: KeyListOptions): void {
	using workspace = openWorkspace(options);
	const account = workspace.accounts.getByEmail(options.account);
	const keys = workspace.keys.list(account.id).map(listed);
	const cells = keys.map((key) => [
		`${key.id}`,
		key.name,
		`${key.prefix}…`,
		key.createdAt,
		key.lastUsedAt ?? "never",
		key.expiresAt ?? "no date",
	]);
	print(options, keys, table(["ID", "NAME", "KEY", "CREATED", "LAST USED", "EXPIRES"], cells));
}

function revoke(id: number, options: CommonOptions): void {
	using workspace = openWorkspace(options);
	const key = workspace.keys.revoke(id, systemClock.now());
	print(options, { ...listed(key), revokedAt: isoOrNull(key.revokedAt) }, [
		`revoked key ${id} (${key.name})`,
	]);
}

function listed({ id, name, prefix, createdAt, lastUsedAt, expiresAt }: AppKey) {
	return {
		id,
		name,
		prefix,
		createdAt: toIso(createdAt),
		lastUsedAt: isoOrNull(lastUsedAt),
		expiresAt: isoOrNull(expiresAt),
	};
}

function isoOrNull(epochMs: number | null): string | null {
	return epochMs === null ? null : toIso(epochMs);
}
