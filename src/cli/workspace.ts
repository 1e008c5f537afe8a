/** What a command works on: the configuration and, next to a daemon that may be running, the database. */
import { homedir } from "node:os";
import { AccountStore } from "../accounts/account-store.ts";
import { AppKeyStore } from "../accounts/app-key-store.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { openStore } from "../store/database.ts";
import type { CommonOptions } from "./command.ts";

export function loadConfigFor({ config: file }: CommonOptions): LoadedConfig {
	return loadConfig({
		file,
		env: process.env,
		cwd: process.cwd(),
		home: homedir(),
		uid: process.getuid?.() ?? -1,
	});
}

/** Dispose of it to close the database. */
export function openWorkspace(options: CommonOptions) {
	const { config } = loadConfigFor(options);
	const store = openStore({ dataDir: config.server.dataDir });
	const accounts = new AccountStore(store, config.plans);
	const keys = new AppKeyStore(store, accounts);
	return { config, store, accounts, keys, [Symbol.dispose]: () => store.close() };
}
