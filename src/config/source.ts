/** Which file is the configuration, and its text as TOML. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import { codeOf, messageOf } from "../base/errors.ts";
import type { Table } from "./defaults.ts";
import type { Environment } from "./env.ts";
import { type KeyLines, keyLines } from "./positions.ts";
import { ConfigError } from "./problems.ts";

export interface SourceOptions {
	/** The --config option. */
	readonly file?: string | undefined;
	readonly env: Environment;
	readonly cwd: string;
	/** Where the machine's own configuration is; only tests name another place. */
	readonly systemFile?: string;
}

export interface Source {
	/** Absolute. */
	readonly file: string;
	/** As the operator named it, for messages. */
	readonly name: string;
	readonly table: Table;
	readonly lines: KeyLines;
}

function whyUnreadable(error: unknown): string {
	switch (codeOf(error)) {
		case "EACCES":
		case "EPERM":
			return "this user has no permission to read it";
		case "EISDIR":
			return "it is a folder";
		default:
			return messageOf(error);
	}
}

function isMissing(error: unknown): boolean {
	return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function decode(name: string, bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (error) {
		throw new ConfigError([`${name}: is not UTF-8 text`], { cause: error });
	}
}

function parseTable(name: string, text: string): Table {
	try {
		return parse(text, { unsafeKeyBehaviour: "throw" });
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		// The further lines of the message, and so the cause, quote the file, which may hold passwords.
		const [what = ""] = error.message.replace("Invalid TOML document: ", "").split("\n");
		throw new ConfigError([`${name}:${error.line}:${error.column}: ${what}`]);
	}
}

function readBytes(file: string, name: string): Uint8Array | undefined {
	try {
		return readFileSync(file);
	} catch (error) {
		if (isMissing(error)) return undefined;
		throw new ConfigError([`${name}: cannot be read: ${whyUnreadable(error)}`], { cause: error });
	}
}

function readIfThere(file: string, name: string): Source | undefined {
	const bytes = readBytes(file, name);
	if (bytes === undefined) return undefined;
	const text = decode(name, bytes);
	return { file, name, table: parseTable(name, text), lines: keyLines(text) };
}

/** The first of --config, $BARREL_CONFIG, ./config.toml and /etc/barrel/config.toml; a file that was named must be there. */
export function findSource(options: SourceOptions): Source | undefined {
	const { cwd, env, systemFile = "/etc/barrel/config.toml" } = options;
	const named = options.file ?? (env["BARREL_CONFIG"] || undefined);
	if (named === undefined)
		return readIfThere(resolve(cwd, "config.toml"), "config.toml") ?? readIfThere(systemFile, systemFile);
	const source = readIfThere(resolve(cwd, named), named);
	if (source !== undefined) return source;
	const origin = options.file === undefined ? "$BARREL_CONFIG" : "--config";
	throw new ConfigError([`${named}: there is no such file (named by ${origin})`]);
}
