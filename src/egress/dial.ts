/**
 * The way out without an exit: resolves a name once, has every address checked, and dials the very addresses that were
 * checked. Exits through a proxy are exit.ts.
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

/** An http proxy that is to forward one plain request: it wants the request in absolute form. */
export interface Forwarding {
	/** As `Dial` gives it. */
	readonly socket: net.Socket;
	/** What the request has to say in Proxy-Authorization, if anything. */
	readonly authorization: string | undefined;
	/** The error for an answer with status 407, by which the proxy refuses the credentials. */
	refused(): Error;
}

/** Opens a connection for a plain request where an http proxy can forward it. Rejects as `Dial` does. */
export type Forward = (target: Target, signal: AbortSignal) => Promise<Forwarding>;

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
	return (target, signal) =>
		within(limits.overallMs, signal, async (limited) => {
			const checked = await checkedAddresses(target, { allow, resolve }, limited);
			return await connectFirst(checked, target.port, limits, limited);
		});
}

/** Runs the work under a signal that aborts with the one given, or with a DialTimeout when time is up. */
export async function within<T>(
	ms: number,
	signal: AbortSignal,
	work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
	const overall = new AbortController();
	const timer = setTimeout(() => overall.abort(new DialTimeout("no answer in time")), ms);
	const onAbort = () => overall.abort(signal.reason);
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	try {
		return await work(overall.signal);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", onAbort);
	}
}

/**
 * The addresses of a target that may be dialled, by one look at its name.
 * Rejects with EgressRefusal by policy, with the resolver's error, or with the signal's reason.
 */
export async function checkedAddresses(
	target: Target,
	{ allow, resolve }: { readonly allow: AllowList; readonly resolve: Resolve },
	signal: AbortSignal,
): Promise<string[]> {
	checkTarget(target, allow);
	const found = await orAborted(addressesOf(target, resolve), signal);
	return allowedAddresses(target, found, allow);
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
