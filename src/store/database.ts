/** Where the database lies and how it is opened. It knows no table's meaning. */
import { chownSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, OperatorError } from "../base/errors.ts";
import { connect, type Store } from "./driver.ts";
import { migrate, migrations, refuseForeignSchema, schemaVersion } from "./migrate.ts";
import { explained } from "./store-error.ts";

const BUSY_TIMEOUT_MS = 5_000;

export type StoreOptions = {
	/** Made with mode 0700 when missing. */
	dataDir: string;
	/** Neither makes nor migrates anything: the file must exist and have this binary's schema. */
	readOnly?: boolean;
};

/** Opens `<dataDir>/barrel.db`; every problem is an OperatorError with one sentence. */
export function openStore({ dataDir, readOnly = false }: StoreOptions): Store {
	const path = join(dataDir, "barrel.db");
	if (!readOnly) createPrivateFile(path);
	else if (explained(path, () => statSync(path, { throwIfNoEntry: false })) === undefined) {
		throw new OperatorError(`there is no database at ${path} yet; start the daemon once to make it`);
	}
	const connection = connect(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, readOnly });
	try {
		refuseForeignSchema(connection);
		connection.pragma("foreign_keys = ON");
		if (readOnly) {
			if (schemaVersion(connection) < migrations.length) {
				throw new OperatorError(
					`${path} belongs to an older barrel; start the daemon once to bring it up to date`,
				);
			}
			return connection;
		}
		connection.pragma("journal_mode = WAL");
		// An acknowledged start or stop is on disk, also when the machine loses power.
		connection.pragma("synchronous = FULL");
		migrate(connection);
		return connection;
	} catch (thrown) {
		connection.close();
		throw thrown;
	}
}

/**
 * Makes the file with mode 0600 before SQLite would make it with 0644. An existing file is never opened here: closing it
 * again would drop the locks that another connection of this process holds on it.
 */
export function createPrivateFile(path: string): void {
	const folder = dirname(path);
	explained(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
	try {
		closeSync(openSync(path, "wx", 0o600));
	} catch (thrown) {
		if (codeOf(thrown) === "EEXIST") return;
		explained(path, () => {
			throw thrown;
		});
	}
	giveToOwnerOf(folder, path);
}

/** `sudo barrel account add` must not leave the daemon's user with a file of root's. */
function giveToOwnerOf(folder: string, path: string): void {
	if (process.getuid?.() !== 0) return;
	const { uid, gid } = statSync(folder);
	if (uid !== 0) chownSync(path, uid, gid);
}
