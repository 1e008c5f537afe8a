/** Where data and sockets go: what the configuration says, else what systemd or the user's session provides. */
import { isAbsolute, join, resolve } from "node:path";
import type { Environment } from "./env.ts";

export interface FolderContext {
	readonly env: Environment;
	readonly home: string;
	/** The user that the daemon runs as; 0 is root. */
	readonly uid: number;
}

export interface Folders {
	readonly dataDir: string;
	readonly runDir: string;
}

/** Absolute and without trailing slash; "~/" is the home of the user. */
export function resolvePath(path: string, base: string, home: string): string {
	return path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(base, path);
}

function absoluteFrom(env: Environment, name: string): string | undefined {
	const value = env[name];
	return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** systemd gives several folders as a list with colons. */
function firstOf(env: Environment, name: string): string | undefined {
	const first = env[name]?.split(":")[0];
	return first !== undefined && isAbsolute(first) ? first : undefined;
}

export function defaultDataDir({ env, home, uid }: FolderContext): string {
	const given = firstOf(env, "STATE_DIRECTORY");
	if (given !== undefined) return resolve(given);
	if (uid === 0) return "/var/lib/barrel";
	return join(absoluteFrom(env, "XDG_STATE_HOME") ?? join(home, ".local/state"), "barrel");
}

export function defaultRunDir({ env, uid }: FolderContext): string {
	const given = firstOf(env, "RUNTIME_DIRECTORY");
	if (given !== undefined) return resolve(given);
	if (uid === 0) return "/run/barrel";
	const session = absoluteFrom(env, "XDG_RUNTIME_DIR");
	return session === undefined ? `/tmp/barrel-${uid}` : join(session, "barrel");
}

const longestSocketPath = 107;
const socketBelowRunDir = `/brl-v-v7-${"x".repeat(20)}/out/control.sock`;

/** Bytes of the longest `run_dir` in which a session's sockets can still be opened. */
export const longestRunDir = longestSocketPath - socketBelowRunDir.length;

export function isInside(inner: string, outer: string): boolean {
	return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}
