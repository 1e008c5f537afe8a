import { Command } from "commander";

/** The options that every command takes. */
export type CommonOptions = {
	config?: string;
	json?: boolean;
};

/** A command with the common options; `example` is shown at the end of its help. */
export function command(name: string, about: { summary: string; example: string }): Command {
	return new Command(name)
		.description(about.summary)
		.allowExcessArguments(false)
		.addHelpText("after", `\nExample:\n  ${about.example}`);
}

/** Called last, so that the options of the command itself come first in its help. */
export function withCommonOptions(made: Command): Command {
	return made
		.option("--config <file>", "configuration file (`barrel --help` says which else)")
		.option("--json", "print one JSON value")
		.helpOption("-h, --help", "show this help");
}
