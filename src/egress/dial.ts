/**
 * The way out without an exit: resolves a name once, has every address checked, and dials the very addresses that were
 * checked. Exits (proxies of a country, residential, own) will be further implementations of `Dial`.
 */
import net from "node:net";
import { orAborted } from "../base/wait.ts";
import type { AllowList } from "./allow-list.ts";
import { type ConnectLimits, connectFirst, DialTimeout } from "./connect.ts";
import { allowedAddresses, checkTarget, EgressRefusal } from "./policy.ts";
import { isInternalName, type Target } from "./target.ts";

/**
 * Opens the outside connection of a request: a half-open-capable socket that is not read from yet.
 * Rejects with `EgressRefusal` by policy, `DialTimeout`, or a plain error when the target cannot be reached.
 */
export type Dial = (target: Target, signal: AbortSignal) => Promise<net.Socket>;

/** Every address of a name, in the order in which they should be tried. Rejects when there is none. */
export type Resolve = (host: string) => Promise<string[]>;

export interface DialLimits extends ConnectLimits {
	/** How long resolving and connecting may take together. */
	readonly overallMs: number;
}

const defaultDialLimits: DialLimits = { attemptMs: 10_000, staggerMs: 300, overallMs: 30_000 };

/**
 * Asks the machine's name servers, /etc/hosts first. Not by node:dns: its lookup blocks Bun's thread pool, so that a page
 * with 200 slow names would hold up the file access of the whole daemon for ten seconds (measured); c-ares does not.
 */
export const systemResolve: Resolve = async (host) => {
	const found = await Bun.dns.lookup(host);
	return found.map(({ address }) => address);
};

export interface DirectDialOptions {
	readonly allow: AllowList;
	readonly resolve?: Resolve;
	readonly limits?: DialLimits;
}

/** A `Dial` that connects from this machine itself. */
export function directDial({
	allow,
	resolve = systemResolve,
	limits = defaultDialLimits,
}: DirectDialOptions): Dial {
	return async (target, signal) => {
		checkTarget(target, allow);
		const overall = new AbortController();
		const timer = setTimeout(() => overall.abort(new DialTimeout("no answer in time")), limits.overallMs);
		const onAbort = () => overall.abort(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
		if (signal.aborted) onAbort();
		try {
			const found = await orAborted(addressesOf(target, resolve), overall.signal);
			const checked = allowedAddresses(target, found, allow);
			return await connectFirst(checked, target.port, limits, overall.signal);
		} finally {
			clearTimeout(timer);
			signal.removeEventListener("abort", onAbort);
		}
	};
}

async function addressesOf({ host }: Target, resolve: Resolve): Promise<string[]> {
	if (net.isIP(host) !== 0) return [host];
	try {
		return await resolve(host);
	} catch (error) {
		// Whether an internal name exists is no business of a session.
		if (isInternalName(host)) throw new EgressRefusal("internal-name", host);
		throw error;
	}
}
