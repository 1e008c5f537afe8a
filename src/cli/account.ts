/** `barrel account …`: the people who may start sessions. */
import type { Command } from "commander";
import type { Account } from "../accounts/account.ts";
import { parseEndOfDay } from "../accounts/end-of-day.ts";
import { systemClock, toIso } from "../base/clock.ts";
import { type CommonOptions, command, withCommonOptions } from "./command.ts";
import { print, table } from "./output.ts";
import { passwordFrom } from "./password-input.ts";
import { openWorkspace } from "./workspace.ts";

type OneAccount = CommonOptions & { email: string };
type NewAccountOptions = OneAccount & {
	firstname: string;
	lastname: string;
	plan?: string[];
	passwordStdin?: boolean;
	unverified?: boolean;
};

export const accountCommands: readonly Command[] = [
	withCommonOptions(
		command("add", {
			summary: "make an account",
			example: "barrel account add --email ada@example.org --plan team",
		})
			.requiredOption("--email <address>", "e-mail address, which is the name at login")
			.option("--firstname <name>", "first name", "")
			.option("--lastname <name>", "last name", "")
			.option("--plan <id>", "plan, may repeat (default: the first configured)", collect)
			.option("--password-stdin", "read the password from stdin (else one is generated)")
			.option("--unverified", "leave the address unconfirmed; keys open nothing yet"),
	).action(add),
	withCommonOptions(
		command("list", { summary: "list the accounts with their plans", example: "barrel account list --json" }),
	).action(list),
	withCommonOptions(
		command("verify", {
			summary: "confirm the e-mail address of an account",
			example: "barrel account verify --email ada@example.org",
		}).requiredOption("--email <address>", "e-mail address of the account"),
	).action(verify),
	withCommonOptions(
		command("set-password", {
			summary: "give an account a new password",
			example: "barrel account set-password --email ada@example.org",
		})
			.requiredOption("--email <address>", "e-mail address of the account")
			.option("--password-stdin", "read the password from stdin (else one is generated)"),
	).action(setPassword),
	withCommonOptions(
		command("subscribe", {
			summary: "add a subscription to an account",
			example: "barrel account subscribe --email ada@example.org --plan team --ends 2027-12-31",
		})
			.requiredOption("--email <address>", "e-mail address of the account")
			.requiredOption("--plan <id>", "plan of the configuration")
			.option("--ends <date>", "last day, YYYY-MM-DD in UTC (default: it goes on)"),
	).action(subscribe),
	withCommonOptions(
		command("remove", {
			summary: "delete an account with its keys and session records",
			example: "barrel account remove --email ada@example.org",
		}).requiredOption("--email <address>", "e-mail address of the account"),
	).action(remove),
];

function collect(value: string, earlier: readonly string[] = []): string[] {
	return [...earlier, value];
}

async function add(options: NewAccountOptions): Promise<void> {
	using workspace = openWorkspace(options);
	const { config, accounts } = workspace;
	const planIds = options.plan ?? config.plans.slice(0, 1).map(({ id }) => id);
	const { password, generated } = await passwordFrom(options);
	const { email, firstname, lastname } = options;
	const account = await accounts.add(
		{ email, firstname, lastname, password, planIds, verified: !options.unverified },
		systemClock.now(),
	);
	print(
		options,
		{ ...identity(account), ...(generated && { password }), plans: planIds, verified: account.verified },
		[
			`made account ${account.id} for ${account.email}, ${planIds.length === 0 ? "without a plan" : `plan ${planIds.join(", ")}`}`,
			...(generated ? [`password (shown only now): ${password}`] : []),
		],
	);
}

function list(options: CommonOptions): void {
	using workspace = openWorkspace(options);
	const rows = workspace.accounts.list().map((account) => ({
		...identity(account),
		plans: workspace.accounts.activeSubscriptions(account.id, systemClock.now()).map(({ planId }) => planId),
		verified: account.verified,
		createdAt: toIso(account.createdAt),
	}));
	const cells = rows.map((row) => [
		`${row.id}`,
		row.email,
		`${row.firstname} ${row.lastname}`.trim(),
		row.plans.join(", "),
		row.verified ? "yes" : "no",
	]);
	print(options, rows, table(["ID", "E-MAIL", "NAME", "PLANS", "VERIFIED"], cells));
}

function verify(options: OneAccount): void {
	using workspace = openWorkspace(options);
	const account = workspace.accounts.verify(options.email, systemClock.now());
	print(options, { ...identity(account), verified: true }, [`${account.email} is verified`]);
}

async function setPassword(options: OneAccount & { passwordStdin?: boolean }): Promise<void> {
	using workspace = openWorkspace(options);
	workspace.accounts.getByEmail(options.email);
	const { password, generated } = await passwordFrom(options);
	const account = await workspace.accounts.setPassword(options.email, password);
	print(options, { ...identity(account), ...(generated && { password }) }, [
		`${account.email} has a new password`,
		...(generated ? [`password (shown only now): ${password}`] : []),
	]);
}

function subscribe(options: OneAccount & { plan: string; ends?: string }): void {
	using workspace = openWorkspace(options);
	const now = systemClock.now();
	const endsAt = options.ends === undefined ? null : parseEndOfDay(options.ends, now);
	const { id, planId } = workspace.accounts.subscribe(options.email, options.plan, { now, endsAt });
	const { email } = workspace.accounts.getByEmail(options.email);
	const value = {
		id,
		email,
		plan: planId,
		createdAt: toIso(now),
		endsAt: endsAt === null ? null : toIso(endsAt),
	};
	print(options, value, [
		`${email} has the plan ${planId}${options.ends === undefined ? "" : ` until the end of ${options.ends} (UTC)`}`,
	]);
}

function remove(options: OneAccount): void {
	using workspace = openWorkspace(options);
	const account = workspace.accounts.remove(options.email);
	print(options, identity(account), [`removed ${account.email}`]);
}

function identity({ id, email, firstname, lastname }: Account) {
	return { id, email, firstname, lastname };
}
