/**
 * What comes out of SQLite is untyped. A table file describes the row that a query answers as a shape of columns, and every
 * row is checked against it, so that a query and its type cannot drift apart unnoticed.
 */

export interface Column<T> {
	readonly label: string;
	is(value: unknown): value is T;
}

export type Shape = Readonly<Record<string, Column<unknown>>>;

export type RowOf<S extends Shape> = {
	readonly [K in keyof S]: S[K] extends Column<infer T> ? T : never;
};

export const integer: Column<number> = {
	label: "integer",
	is: (value): value is number => Number.isSafeInteger(value),
};

export const text: Column<string> = {
	label: "text",
	is: (value): value is string => typeof value === "string",
};

export function nullable<T>(column: Column<T>): Column<T | null> {
	return {
		label: `${column.label} or null`,
		is: (value): value is T | null => value === null || column.is(value),
	};
}

/** A text column with a closed list of words, typed as their union. */
export function oneOf<const W extends string>(...words: readonly W[]): Column<W> {
	return {
		label: words.join(" | "),
		is: (value): value is W => words.some((word) => word === value),
	};
}

/** A check that the value is a row of the shape; it throws a fault that names the first column that is not. */
export function rowParser<S extends Shape>(shape: S): (value: unknown) => RowOf<S> {
	const columns = Object.entries(shape);
	const isRow = (value: unknown): value is RowOf<S> => {
		if (!isRecord(value)) return false;
		for (const [name, column] of columns) {
			if (!column.is(value[name])) throw new TypeError(`column ${name} is not ${column.label}`);
		}
		return true;
	};
	return (value) => {
		if (!isRow(value)) throw new TypeError("a row is not an object");
		return value;
	};
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
