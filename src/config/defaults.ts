/**
 * Fills in what the file leaves out. TypeBox's own `Value.Default` is no use here: it merges a default into a value of
 * another kind, so that a table or a date in place of a list would pass for the default list.
 */
import { KindGuard, type TSchema } from "@sinclair/typebox";

export type Table = Record<string, unknown>;

export function isTable(value: unknown): value is Table {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A copy of the value with the defaults of the schema; what does not fit the schema is copied as it is. */
export function withDefaults(schema: TSchema, value: unknown): unknown {
	const given: unknown = value === undefined ? schema["default"] : value;
	if (KindGuard.IsArray(schema) && Array.isArray(given)) {
		return given.map((entry: unknown) => withDefaults(schema.items, entry));
	}
	if (!KindGuard.IsObject(schema) || !isTable(given)) return given;
	const result: Table = { ...given };
	for (const [key, property] of Object.entries(schema.properties)) {
		const filled = withDefaults(property, given[key]);
		if (filled !== undefined) result[key] = filled;
	}
	return result;
}
