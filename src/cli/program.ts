/** The command line: what there is to type, and what becomes of whatever goes wrong. */
import { Command, CommanderError } from "commander";
import { messageOf, OperatorError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { accountCommands } from "./account.ts";
import { type CommonOptions, command, withCommonOptions } from "./command.ts";
import { keyCommands } from "./key.ts";
import { print, writeErr, writeOut } from "./output.ts";
import { loadConfigFor } from "./workspace.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const rootNotes = `
Configuration: --config FILE, else $BARREL_CONFIG, ./config.toml,
/etc/barrel/config.toml, else defaults. BARREL__SECTION__KEY sets one value.

Example:
  barrel serve --config /etc/barrel/config.toml`;

/** Runs one command and answers its exit status: 1 when it failed, 2 when it was not understood. */
export async function runCli(argv: readonly string[]): Promise<number> {
	try {
		await program().parseAsync(argv, { from: "user" });
		return 0;
	} catch (thrown) {
		// Commander has said by then what it did not understand.
		if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT_USAGE;
		writeErr(`barrel: ${thrown instanceof OperatorError ? "" : "internal error: "}${messageOf(thrown)}\n`);
		return EXIT_FAILED;
	}
}

function program(): Command {
	const root = new Command("barrel")
		.description("Your own remote browsers: starts isolated Chromes and hands each out as a CDP address.")
		.version(version, "-V, --version", "print the version")
		.helpOption("-h, --help", "show this help")
		.addHelpText("after", rootNotes);
	root.addCommand(serveCommand);
	root.addCommand(group("account", "the people who may start sessions", accountCommands));
	root.addCommand(group("key", "the app keys that API clients send", keyCommands));
	root.addCommand(group("session", "the browsers that are running", sessionCommands));
	root.addCommand(group("config", "the configuration", [checkCommand]));
	root.addCommand(versionCommand);
	settle(root);
	return root;
}

function group(name: string, summary: string, commands: readonly Command[]): Command {
	const made = new Command(name).description(summary).helpOption("-h, --help", "show this help");
	for (const one of commands) made.addCommand(one);
	return made;
}

/** Errors are thrown, not followed by an exit; `addCommand` hands no settings down. */
function settle(made: Command): void {
	made
		.exitOverride()
		.helpCommand(false)
		.configureOutput({
			writeOut,
			writeErr,
			outputError: (text, write) => write(text.replace(/^error: /, "barrel: ")),
		});
	for (const child of made.commands) settle(child);
}

const serveCommand = withCommonOptions(
	command("serve", { summary: "run the daemon", example: "barrel serve --config /etc/barrel/config.toml" }),
).action(async (options: CommonOptions) => {
	const { config, file } = loadConfigFor(options);
	const { serve } = await import("./serve.ts");
	await serve(config, { file });
});

const sessionCommands: readonly Command[] = [
	withCommonOptions(
		command("list", {
			summary: "list the sessions that are live",
			example: "barrel session list --all --json",
		})
			.option("--account <address>", "only those of this account")
			.option("--all", "also those that ended in the last 30 days"),
	).action(async (options: CommonOptions & { account?: string; all?: boolean }) => {
		const { listSessions } = await import("./session.ts");
		listSessions(options);
	}),
	withCommonOptions(
		command("stop", {
			summary: "stop a session",
			example: "barrel session stop brl-v-v7-0123456789abcdefghij",
		}).argument("<id>", "id of the session"),
	).action(async (id: string, options: CommonOptions) => {
		const { stopSession } = await import("./session.ts");
		stopSession(id, options);
	}),
];

const checkCommand = withCommonOptions(
	command("check", {
		summary: "say whether the configuration is valid, and where it is",
		example: "barrel config check --config config.toml",
	}),
).action((options: CommonOptions) => {
	const { file } = loadConfigFor(options);
	const found = file === undefined ? "no configuration file: the defaults apply" : `${file} is valid`;
	print(options, { valid: true, file: file ?? null }, [found]);
});

const versionCommand = withCommonOptions(
	command("version", { summary: "print the version", example: "barrel version --json" }),
).action((options: CommonOptions) => {
	const platform = `${process.platform}-${process.arch}`;
	print(options, { version, bun: Bun.version, platform }, [
		`barrel ${version} (Bun ${Bun.version}, ${platform})`,
	]);
});
