/** How the gateway gets out through an exit: dials the proxy, shakes hands, and hands the connection over. */
import net from "node:net";
import { codeOf } from "../base/errors.ts";
import type { AllowList } from "./allow-list.ts";
import { type ConnectOptions, connectFirst, DialTimeout } from "./connect.ts";
import {
	checkedAddresses,
	type Dial,
	directDial,
	type Forward,
	type Resolve,
	systemResolve,
	within,
} from "./dial.ts";
import type { Exit, Upstream } from "./exit.ts";
import { allowedAddresses, checkTarget, EgressRefusal } from "./policy.ts";
import { isInternalName, type Target } from "./target.ts";
import { ExitFault, UpstreamFault } from "./upstream-fault.ts";
import { authorizationOf, connectHttp } from "./upstream-http.ts";
import { connectSocks4, connectSocks5 } from "./upstream-socks.ts";

export interface ExitOptions {
	/** Private targets, and private addresses of proxies, that the operator opened. */
	readonly allow: AllowList;
	readonly resolve?: Resolve;
	/** Certificates (PEM) that vouch for https proxies in place of the system's. */
	readonly ca?: string;
	/** How long resolving, connecting and the handshake may take together. */
	readonly overallMs?: number;
}

/** The part of the gateway's options that an exit is. */
export interface Route {
	readonly dial: Dial;
	readonly forward?: Forward;
}

const defaultOverallMs = 30_000;
const connectLimits = { attemptMs: 10_000, staggerMs: 300 } as const;

/** Errors that Bun and OpenSSL have for a certificate; the others are of the connection. */
const certificateCode = /CERT|ISSUER|VERIFY|SELF_SIGNED|CRL/;

/**
 * How the gateway reaches targets through this exit. Every connection has the proxy's host resolved and its addresses
 * checked anew, so that a name that changes its mind leads nowhere private.
 */
export function exitRoute(exit: Exit, options: ExitOptions): Route {
	const { allow, resolve = systemResolve, overallMs = defaultOverallMs } = options;
	if (exit.kind === "direct") return { dial: directDial({ allow, resolve }) };
	const { kind, upstream } = exit;
	const { protocol } = upstream;
	const open = async (target: Target, signal: AbortSignal, handshake: Handshake): Promise<net.Socket> => {
		checkRemoteTarget(target, allow);
		try {
			return await within(overallMs, signal, async (limited) => {
				const socket = await connectUpstream(upstream, options, limited);
				try {
					await handshake(socket, upstream, target, limited);
					return socket;
				} catch (thrown) {
					socket.destroy();
					throw thrown;
				}
			});
		} catch (thrown) {
			if (signal.aborted) throw thrown;
			throw new ExitFault(kind, faultOf(thrown));
		}
	};
	const dial: Dial = (target, signal) => open(target, signal, handshakes[protocol]);
	if (protocol !== "http" && protocol !== "https") return { dial };
	const forward: Forward = async (target, signal) => ({
		socket: await open(target, signal, noHandshake),
		authorization: authorizationOf(upstream),
		refused: () => new ExitFault(kind, new UpstreamFault("credentials", "407")),
	});
	return { dial, forward };
}

type Handshake = (
	socket: net.Socket,
	upstream: Upstream,
	target: Target,
	signal: AbortSignal,
) => Promise<void>;

const handshakes: Record<Upstream["protocol"], Handshake> = {
	http: connectHttp,
	https: connectHttp,
	socks4: connectSocks4,
	socks5: connectSocks5,
};

const noHandshake: Handshake = async () => {};

/** What can be refused without resolving: where a name leads is known at the exit only. */
function checkRemoteTarget(target: Target, allow: AllowList): void {
	const { host, port } = target;
	checkTarget(target, allow);
	if (net.isIP(host) !== 0) allowedAddresses(target, [host], allow);
	else if (isInternalName(host) && !allow.allows(host, "", port))
		throw new EgressRefusal("internal-name", host);
}

async function connectUpstream(
	{ address, protocol }: Upstream,
	{ allow, resolve = systemResolve, ca }: ExitOptions,
	signal: AbortSignal,
): Promise<net.Socket> {
	const addresses = await checkedAddresses(address, { allow, resolve }, signal);
	const serverName = net.isIP(address.host) === 0 ? { servername: address.host } : {};
	const tls = {
		rejectUnauthorized: true,
		ALPNProtocols: ["http/1.1"],
		...serverName,
		...(ca === undefined ? {} : { ca }),
	};
	const options: ConnectOptions = protocol === "https" ? { ...connectLimits, tls } : connectLimits;
	return await connectFirst(addresses, address.port, options, signal);
}

/** A proxy that policy refuses is unreachable to the page: its host is not the page's to know. */
function faultOf(thrown: unknown): UpstreamFault {
	if (thrown instanceof UpstreamFault) return thrown;
	if (thrown instanceof DialTimeout) return new UpstreamFault("timeout", "no answer in time");
	if (thrown instanceof EgressRefusal) return new UpstreamFault("unreachable", thrown.reason);
	const code = codeOf(thrown) ?? "no code";
	return new UpstreamFault(certificateCode.test(code) ? "certificate" : "unreachable", code);
}
