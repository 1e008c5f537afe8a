/** The one way to the configuration: defaults < TOML file < environment, checked as a whole, then frozen. */
import { dirname } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { type Config, type Places, toConfig } from "./config.ts";
import { isTable, type Table, withDefaults } from "./defaults.ts";
import { type Override, readOverrides } from "./env.ts";
import { defaultDataDir, defaultRunDir, type FolderContext, resolvePath } from "./folders.ts";
import { lineOf } from "./positions.ts";
import { ConfigError, keyName, type Problem, valueProblems } from "./problems.ts";
import { relationProblems } from "./relations.ts";
import { configSchema, type RawConfig } from "./schema.ts";
import { findSource, type Source, type SourceOptions } from "./source.ts";

export type LoadOptions = SourceOptions & FolderContext;

export interface LoadedConfig {
	readonly config: Config;
	/** The absolute path of the file that was read; undefined when there is none. */
	readonly file: string | undefined;
}

function overridden(table: Table, overrides: readonly Override[]): Table {
	const result = { ...table };
	for (const { section, key, value } of overrides) {
		const values = result[section] ?? {};
		// Where the file has something else than a table, that is the problem to report.
		if (isTable(values)) result[section] = { ...values, [key]: value };
	}
	return result;
}

function placesOf(raw: RawConfig["server"], options: LoadOptions, baseOf: (key: string) => string): Places {
	const path = (key: "data_dir" | "run_dir" | "tls_cert" | "tls_key") => {
		const text = raw[key];
		return text === undefined ? undefined : resolvePath(text, baseOf(key), options.home);
	};
	const certFile = path("tls_cert");
	const keyFile = path("tls_key");
	return {
		dataDir: path("data_dir") ?? defaultDataDir(options),
		runDir: path("run_dir") ?? defaultRunDir(options),
		tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
	};
}

/** In the order of the file; what has no line comes first, what the environment set comes last. */
function linesFor(
	problems: readonly Problem[],
	source: Source | undefined,
	overrides: readonly Override[],
): string[] {
	const placed = problems.map(({ pointer, sentence }) => {
		const setter = overrides.find(({ section, key }) => `${pointer}/`.startsWith(`/${section}/${key}/`));
		if (setter !== undefined) {
			const name = keyName(pointer).replace(`${setter.section}.${setter.key}`, setter.variable);
			return { line: Number.MAX_SAFE_INTEGER, text: `${name} ${sentence}` };
		}
		const line = source === undefined ? undefined : lineOf(source.lines, pointer);
		const place = source === undefined ? "" : `${source.name}${line === undefined ? "" : `:${line}`}: `;
		return { line: line ?? 0, text: `${place}${keyName(pointer)} ${sentence}` };
	});
	return placed.sort((a, b) => a.line - b.line).map(({ text }) => text);
}

function deepFreeze<T>(value: T): T {
	if (typeof value !== "object" || value === null) return value;
	for (const inner of Object.values(value)) deepFreeze(inner);
	return Object.freeze(value);
}

/**
 * Reads the configuration. Relative paths count from the folder of the file they stand in, those of environment
 * variables from `cwd`.
 * @throws ConfigError with every problem, one per line.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
	const source = findSource(options);
	const { overrides, problems: envProblems } = readOverrides(options.env);
	const raw = withDefaults(configSchema, overridden(source?.table ?? {}, overrides));

	const baseOf = (key: string) =>
		source === undefined ||
		overrides.some((override) => override.section === "server" && override.key === key)
			? options.cwd
			: dirname(source.file);
	const sections = isTable(raw) ? raw : {};
	const server = sections["server"];
	const places = Value.Check(configSchema.properties.server, server)
		? placesOf(server, options, baseOf)
		: undefined;

	const problems = [...valueProblems(raw), ...relationProblems(sections, places)];
	const lines = [...linesFor(problems, source, overrides), ...envProblems];
	if (lines.length > 0 || places === undefined || !Value.Check(configSchema, raw))
		throw new ConfigError(lines);
	return { config: deepFreeze(toConfig(raw, places)), file: source?.file };
}
