import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Config } from "../../../src/config/config.ts";
import { type LoadedConfig, type LoadOptions, loadConfig } from "../../../src/config/load.ts";
import { ConfigError } from "../../../src/config/problems.ts";

/** A folder with configuration files in it, gone when it is disposed. */
export class ConfigFolder implements Disposable {
	readonly path = mkdtempSync(join(tmpdir(), "barrel-config-"));

	constructor(files: Readonly<Record<string, string>> = {}) {
		for (const [name, text] of Object.entries(files)) this.write(name, text);
	}

	write(name: string, content: string | Uint8Array): string {
		const file = join(this.path, name);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, content);
		return file;
	}

	load(options: Partial<LoadOptions> = {}): LoadedConfig {
		const systemFile = join(this.path, "etc/config.toml");
		return loadConfig({ env: {}, cwd: this.path, home: "/home/ann", uid: 1000, systemFile, ...options });
	}

	[Symbol.dispose](): void {
		rmSync(this.path, { recursive: true });
	}
}

/** The configuration that a config.toml of this text gives. */
export function configOf(toml: string, options: Partial<LoadOptions> = {}): Config {
	using folder = new ConfigFolder({ "config.toml": toml });
	return folder.load(options).config;
}

export function problemsIn(load: () => unknown): readonly string[] {
	try {
		load();
	} catch (error) {
		if (error instanceof ConfigError) return error.problems;
		throw error;
	}
	return [];
}

/** The lines that a config.toml of this text is refused with; none when it is accepted. */
export function problemsOf(toml: string, options: Partial<LoadOptions> = {}): readonly string[] {
	return problemsIn(() => configOf(toml, options));
}
