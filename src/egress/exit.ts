/**
 * A session's way out: from this machine itself, or through the proxy of a location, of a residential network or of the
 * session's own. Says what a proxy is and how its URL reads; how connections go through it is upstream-route.ts.
 */
import { inspect } from "node:util";
import type { AllowList } from "./allow-list.ts";
import { checkedAddresses, type Resolve, systemResolve, within } from "./dial.ts";
import { canonicalHost, hostPort, type Target } from "./target.ts";
import type { ProxyExitKind } from "./upstream-fault.ts";

export type Exit =
	| { readonly kind: "direct" }
	| { readonly kind: ProxyExitKind; readonly upstream: Upstream };

export type UpstreamProtocol = "http" | "https" | "socks4" | "socks5";

/** Percent-decoded. */
export interface Credentials {
	readonly user: string;
	readonly password: string;
}

/** A proxy. However it is printed, logged or serialised, its credentials stay out. */
export class Upstream {
	readonly protocol: UpstreamProtocol;
	/** Where it listens. */
	readonly address: Target;
	readonly #credentials: Credentials | undefined;

	constructor(protocol: UpstreamProtocol, address: Target, credentials?: Credentials) {
		this.protocol = protocol;
		this.address = address;
		this.#credentials = credentials;
	}

	credentials(): Credentials | undefined {
		return this.#credentials;
	}

	toString(): string {
		const user = this.#credentials === undefined ? "" : "***@";
		return `${this.protocol}://${user}${hostPort(this.address)}`;
	}

	toJSON(): string {
		return this.toString();
	}

	[inspect.custom](): string {
		return this.toString();
	}
}

const urlForm = /^(https?|socks[45]):\/\/(?:([^/\\?#\s]*)@)?(\[[^\]@]*\]|[^:@/?#\s[\]]+):([0-9]{1,5})\/?$/i;

/** What a socks5 handshake can carry of a user name or a password. */
const maxSocksBytes = 255;

/**
 * Reads `protocol://[user:password@]host:port` (spec 4.1). The port must be there, IPv6 stands in brackets, credentials are
 * percent-encoded; one slash may follow, but no path, query or fragment. Undefined for anything else, and for credentials
 * that the protocol cannot carry. Of socks4 only the user is sent: it knows no password.
 */
export function parseUpstream(url: string): Upstream | undefined {
	const [, scheme = "", userInfo, hostText = "", portText] = urlForm.exec(url) ?? [];
	const protocol = protocolOf(scheme.toLowerCase());
	const host = canonicalHost(hostText);
	const port = Number(portText);
	if (protocol === undefined || host === undefined || !(port >= 1 && port <= 65_535)) return undefined;
	if (userInfo === undefined || userInfo === "") return new Upstream(protocol, { host, port });
	const credentials = parseUserInfo(userInfo);
	if (credentials === undefined || !canCarry(protocol, credentials)) return undefined;
	return new Upstream(protocol, { host, port }, credentials);
}

function protocolOf(scheme: string): UpstreamProtocol | undefined {
	return (["http", "https", "socks4", "socks5"] as const).find((protocol) => protocol === scheme);
}

function parseUserInfo(text: string): Credentials | undefined {
	const colon = text.indexOf(":");
	const [user, password] = colon === -1 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
	try {
		return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
	} catch {
		return undefined;
	}
}

function canCarry(protocol: UpstreamProtocol, { user, password }: Credentials): boolean {
	// They would end a line or a field of a handshake.
	if (/\p{Cc}/u.test(user + password)) return false;
	// Basic authentication (RFC 7617) ends the user at the first colon.
	if (protocol === "http" || protocol === "https") return !user.includes(":");
	return [user, password].every((text) => Buffer.byteLength(text) <= maxSocksBytes);
}

/** What the operator's residential URL leaves open. */
export interface TemplateValues {
	/** A country code, in the vendor's spelling. */
	readonly country: string;
	/** What keeps one address for one session and separates it from others. */
	readonly session: string;
}

/** The URL with `{country}` and `{session}` filled in, each percent-encoded. */
export function fillTemplate(template: string, { country, session }: TemplateValues): string {
	return template
		.replaceAll("{country}", () => encodeURIComponent(country))
		.replaceAll("{session}", () => encodeURIComponent(session));
}

const hostCheckMs = 10_000;

/**
 * For the start of a session: whether the proxy is somewhere public, or where the operator allows.
 * Rejects with EgressRefusal when it is not, else as the resolver does, or with DialTimeout.
 */
export async function checkUpstreamHost(
	{ address }: Upstream,
	allow: AllowList,
	resolve: Resolve = systemResolve,
): Promise<void> {
	const never = new AbortController().signal;
	await within(hostCheckMs, never, (signal) => checkedAddresses(address, { allow, resolve }, signal));
}
