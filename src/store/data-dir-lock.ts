import { join } from "node:path";
import { codeOf, OperatorError } from "../base/errors.ts";
import { createPrivateFile } from "./database.ts";
import { connect } from "./driver.ts";

/**
 * Makes this process the only daemon on `dataDir` until it is disposed of, or until the process is gone: the lock is
 * SQLite's own (fcntl), which the kernel drops together with the process and which children do not inherit.
 */
export function lockDataDir(dataDir: string): Disposable {
	const path = join(dataDir, "daemon.lock");
	createPrivateFile(path);
	const connection = connect(path, { busyTimeoutMs: 0 });
	try {
		connection.exec("BEGIN EXCLUSIVE");
	} catch (thrown) {
		connection.close();
		if (thrown instanceof OperatorError && codeOf(thrown.cause) === "SQLITE_BUSY") {
			throw new OperatorError(`another barrel daemon is using ${dataDir}; stop it first`, { cause: thrown });
		}
		throw thrown;
	}
	return connection;
}
