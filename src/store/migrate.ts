/** Brings a database to the schema of this binary. `user_version` is the number of migrations that it has had. */
import { OperatorError } from "../base/errors.ts";
import type { Connection } from "./driver.ts";
import { firstRelease } from "./migrations/001-first-release.ts";
import { contract } from "./migrations/002-contract.ts";

/** In the order of their numbers. One that was released is never changed. */
export const migrations: readonly string[] = [firstRelease, contract];

/** Refuses a file of a newer barrel or of another program, without having written to it. */
export function refuseForeignSchema(connection: Connection, known = migrations.length): void {
	// Read first: a schema that another process is just making must not look like one without a version.
	const isEmpty = Number(connection.pragma("schema_version")) === 0;
	const version = schemaVersion(connection);
	if (version > known) {
		throw new OperatorError(
			`${connection.path} belongs to a newer barrel (schema ${version}, this one knows ${known}); install that version again or restore a backup`,
		);
	}
	if (version === 0 && !isEmpty) {
		throw new OperatorError(`${connection.path} is the database of another program; choose another data_dir`);
	}
}

/** Runs what is missing, each migration in a transaction of its own: one that fails leaves nothing behind. */
export function migrate(connection: Connection, steps = migrations): void {
	for (const [index, sql] of steps.entries()) {
		if (schemaVersion(connection) > index) continue;
		connection.transaction(() => {
			// Another process may have been faster while this one waited for the lock.
			if (schemaVersion(connection) > index) return;
			connection.exec(sql);
			connection.pragma(`user_version = ${index + 1}`);
		});
	}
}

export function schemaVersion(connection: Connection): number {
	return Number(connection.pragma("user_version"));
}
