/** The only file that talks to better-sqlite3: a connection with checked rows and explained errors. */
import Database from "better-sqlite3";
import { type RowOf, rowParser, type Shape } from "./columns.ts";
import { explained } from "./store-error.ts";

/** Values for the named parameters (`@name`) of a statement. */
export type Parameters = Readonly<Record<string, string | number | null>>;

/** A prepared statement that answers rows. `find` answers the first one, `get` throws when there is none. */
export interface Query<Row> {
	find(parameters?: Parameters): Row | undefined;
	get(parameters?: Parameters): Row;
	all(parameters?: Parameters): Row[];
}

/** A prepared statement that changes rows. */
export interface Command {
	run(parameters?: Parameters): { readonly changes: number; readonly insertedId: number };
}

/** An open database. Statements are meant to be prepared once, by the store of a table. */
export interface Store extends Disposable {
	readonly path: string;
	query<S extends Shape>(shape: S, sql: string): Query<RowOf<S>>;
	command(sql: string): Command;
	/** Runs `work` under BEGIN IMMEDIATE: all of it or none. Inside another transaction it is a savepoint. */
	transaction<T>(work: () => T): T;
	close(): void;
}

/** What opening and migrating need beyond what the stores of the tables get. */
export interface Connection extends Store {
	pragma(text: string): unknown;
	exec(sql: string): void;
}

type ConnectOptions = { busyTimeoutMs: number; readOnly?: boolean };

export function connect(path: string, options: ConnectOptions): Connection {
	const database = explained(
		path,
		() => new Database(path, { timeout: options.busyTimeoutMs, readonly: options.readOnly ?? false }),
	);
	const close = () => {
		database.close();
	};
	return {
		path,
		query: (shape, sql) => prepareQuery(database, path, { shape, sql }),
		command: (sql) => prepareCommand(database, path, sql),
		transaction: (work) => explained(path, () => database.transaction(work).immediate()),
		pragma: (text) => explained(path, () => database.pragma(text, { simple: true })),
		exec: (sql) => {
			explained(path, () => database.exec(sql));
		},
		close,
		[Symbol.dispose]: close,
	};
}

function prepareQuery<S extends Shape>(
	database: Database.Database,
	path: string,
	{ shape, sql }: { shape: S; sql: string },
): Query<RowOf<S>> {
	const statement = explained(path, () => database.prepare<Parameters>(sql));
	const parse = rowParser(shape);
	const find = (parameters: Parameters = {}) => {
		const row = explained(path, () => statement.get(parameters));
		return row === undefined ? undefined : parse(row);
	};
	return {
		find,
		get: (parameters) => {
			const row = find(parameters);
			if (row === undefined) throw new Error(`no row for: ${sql}`);
			return row;
		},
		all: (parameters = {}) => explained(path, () => statement.all(parameters)).map(parse),
	};
}

function prepareCommand(database: Database.Database, path: string, sql: string): Command {
	const statement = explained(path, () => database.prepare<Parameters>(sql));
	return {
		run: (parameters = {}) => {
			const result = explained(path, () => statement.run(parameters));
			return { changes: result.changes, insertedId: Number(result.lastInsertRowid) };
		},
	};
}
