/**
 * The leaves that the schema is built from. Each carries `expected`, which completes the sentence "KEY must be …", and
 * `secret` where its value must not be repeated. A `parsed` text is checked with the parser that reads it later.
 */
import { FormatRegistry, type StringOptions, type TSchema, type TString, Type } from "@sinclair/typebox";
import { parseDuration } from "../base/duration.ts";
import { parsePositiveDuration } from "./values.ts";

/** What the value must be, as words or as a function of the wrong value. */
export type Expected = string | ((value: unknown) => string);

type FieldOptions = { expected: Expected; default?: string; secret?: true };

export function expectedOf(schema: TSchema, value: unknown): string {
	const expected: unknown = schema["expected"];
	return String(typeof expected === "function" ? expected(value) : (expected ?? "something else"));
}

export function isSecret(schema: TSchema): boolean {
	return schema["secret"] === true;
}

export function text(options: FieldOptions & StringOptions): TString {
	return Type.String({ minLength: 1, ...options });
}

export function parsed(name: string, parse: (value: string) => unknown, options: FieldOptions): TString {
	const format = `barrel-${name}`;
	// The registry is global; a second field of the same name carries the same parser.
	FormatRegistry.Set(format, (value) => parse(value) !== undefined);
	return Type.String({ format, ...options });
}

export function duration(byDefault: string): TString {
	return parsed("duration", parsePositiveDuration, {
		default: byDefault,
		expected: (value) =>
			typeof value === "string" && parseDuration(value) !== undefined
				? 'longer than zero and at most "365d"'
				: 'a duration such as "5m"',
	});
}

export function flag(byDefault: boolean) {
	return Type.Boolean({ default: byDefault, expected: "true or false" });
}

export function count(minimum: number, byDefault?: number) {
	const expected = `a whole number, at least ${minimum}`;
	return Type.Integer({ minimum, expected, ...(byDefault === undefined ? {} : { default: byDefault }) });
}

export function amount() {
	return Type.Number({ minimum: 0, expected: "a number, at least 0" });
}

export function identifier(example: string): TString {
	return text({
		pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
		expected: `1 to 64 letters, digits, ".", "_" or "-", such as "${example}"`,
	});
}

export const label = text({ maxLength: 200, expected: "a text of 1 to 200 characters" });

export const folder = text({ expected: "the path of a folder" });

export const file = text({ expected: "the path of a file" });

export const country = text({
	pattern: "^[a-z]{2}$",
	expected: 'a country as two lower-case letters, such as "de"',
});
