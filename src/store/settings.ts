import { text } from "./columns.ts";
import type { Store } from "./driver.ts";

/** The value kept under `name`; the first call, by whichever process, keeps what `make` answers. */
export function getOrCreateSetting(store: Store, name: string, make: () => string): string {
	return store.transaction(() => {
		const kept = store.query({ value: text }, "SELECT value FROM settings WHERE name = @name").find({ name });
		if (kept !== undefined) return kept.value;
		const value = make();
		store.command("INSERT INTO settings (name, value) VALUES (@name, @value)").run({ name, value });
		return value;
	});
}
