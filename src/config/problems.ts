/**
 * What is wrong with the values of the file, in words. A problem's sentence goes on after the name of the key, or of the
 * environment variable that set it. No sentence repeats a secret: values with "@" and those of secret keys are left out.
 */
import { KindGuard, type TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { OperatorError } from "../base/errors.ts";
import { expectedOf, isSecret } from "./fields.ts";
import { configSchema, settings } from "./schema.ts";
import { nearest } from "./suggestion.ts";

export interface Problem {
	/** JSON pointer of the key; "" for the file as a whole. */
	readonly pointer: string;
	readonly sentence: string;
}

/** Everything that is wrong with the configuration: one line per problem. */
export class ConfigError extends OperatorError {
	readonly problems: readonly string[];

	constructor(problems: readonly string[], options?: ErrorOptions) {
		super(problems.join("\n"), options);
		this.problems = problems;
	}
}

function keyParts(pointer: string): string[] {
	return pointer
		.split("/")
		.slice(1)
		.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function isIndex(part: string): boolean {
	return /^\d+$/.test(part);
}

function shownKey(part: string): string {
	if (/^[A-Za-z0-9_-]+$/.test(part)) return part;
	return part.includes("@") ? '"…"' : JSON.stringify(part);
}

/** "server.listen", "images.id", "egress.allow (entry 2)": only the line tells which of several tables it is. */
export function keyName(pointer: string): string {
	const parts = keyParts(pointer);
	const keys = parts.filter((part) => !isIndex(part)).map(shownKey);
	const last = parts.at(-1) ?? "";
	return isIndex(last) ? `${keys.join(".")} (entry ${Number(last) + 1})` : keys.join(".");
}

const longestShown = 80;

/** A value for a sentence, or undefined when it is better not repeated. */
function shownValue(value: unknown, schema: TSchema): string | undefined {
	if (isSecret(schema)) return undefined;
	if (typeof value === "string") {
		if (KindGuard.IsObject(schema) || KindGuard.IsArray(schema)) return "a text";
		return value.includes("@") || value.length > longestShown ? undefined : JSON.stringify(value);
	}
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (value instanceof Date) return "a date";
	return typeof value === "number" || typeof value === "boolean" ? String(value) : "a table";
}

function unknownKey(error: ValueError): string {
	const parts = keyParts(error.path);
	const key = parts.at(-1) ?? "";
	const table = parts.slice(0, -1).filter((part) => !isIndex(part));
	const siblings = KindGuard.IsObject(error.schema) ? Object.keys(error.schema.properties) : [];
	const sibling = nearest(key, siblings);
	const meant =
		sibling === undefined
			? settings.find((setting) => setting.endsWith(`.${key}`))
			: [...table, sibling].map(shownKey).join(".");
	return `is not a key that barrel knows${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function sentenceOf(error: ValueError): string {
	if (error.type === ValueErrorType.ObjectAdditionalProperties) return unknownKey(error);
	const expected = expectedOf(error.schema, error.value);
	if (error.type === ValueErrorType.ObjectRequiredProperty) return `is missing; it must be ${expected}`;
	const shown = shownValue(error.value, error.schema);
	return `must be ${expected}${shown === undefined ? "" : `, not ${shown}`}`;
}

/** Every value that is wrong by itself, one problem per key. */
export function valueProblems(raw: unknown): Problem[] {
	const problems = new Map<string, Problem>();
	for (const error of Value.Errors(configSchema, raw)) {
		if (problems.has(error.path)) continue;
		problems.set(error.path, { pointer: error.path, sentence: sentenceOf(error) });
	}
	return [...problems.values()];
}
