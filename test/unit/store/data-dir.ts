import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A data_dir that does not exist yet, in a temp folder that goes with it. */
export class TempDataDir implements Disposable {
	readonly #root = mkdtempSync(join(tmpdir(), "barrel-store-"));
	readonly path = join(this.#root, "data");

	get databasePath(): string {
		return join(this.path, "barrel.db");
	}

	[Symbol.dispose](): void {
		rmSync(this.#root, { recursive: true, force: true });
	}
}
