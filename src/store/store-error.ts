/** Turns what SQLite and the file system throw into one sentence for the operator. */
import { codeOf, OperatorError } from "../base/errors.ts";

/** Nothing more can be written; callers may tell it from what needs a repair. */
export class StorageFullError extends OperatorError {}

const sentences: readonly (readonly [code: RegExp, sentence: (path: string) => string])[] = [
	[/^SQLITE_NOTADB$/, (path) => `${path} is not a database; move it away or restore a backup`],
	[/^SQLITE_CORRUPT/, (path) => `${path} is damaged; stop barrel and restore a backup`],
	[/^SQLITE_(BUSY|LOCKED)/, (path) => `${path} is held by another process; try again in a moment`],
	[
		/^(EACCES|EPERM|EROFS|SQLITE_(CANTOPEN|READONLY|PERM|AUTH))/,
		(path) =>
			`cannot open ${path} for writing as this user (uid ${process.getuid?.()}); check its owner and its mode`,
	],
	[/^(ENOTDIR|EEXIST|EISDIR|ENOENT)$/, (path) => `cannot use ${path}: no folder can be made there`],
	[/^(EIO|SQLITE_IOERR)/, (path) => `reading or writing ${path} fails; check the disk`],
];

/** The sentence for a storage problem with `path` as an OperatorError; anything else comes back unchanged. */
function explainStoreError(thrown: unknown, path: string): unknown {
	if (thrown instanceof OperatorError) return thrown;
	const code = codeOf(thrown) ?? "";
	if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code)) {
		return new StorageFullError(`the disk that holds ${path} is full; free some space there`, {
			cause: thrown,
		});
	}
	const sentence = sentences.find(([form]) => form.test(code))?.[1];
	return sentence === undefined ? thrown : new OperatorError(sentence(path), { cause: thrown });
}

/** Runs `work`; storage problems with `path` come out as OperatorErrors. */
export function explained<T>(path: string, work: () => T): T {
	try {
		return work();
	} catch (thrown) {
		throw explainStoreError(thrown, path);
	}
}
