/**
 * What a request asks to reach: a host in one canonical spelling and a port. Says what a target is and which names are
 * internal; whether it may be reached is policy.ts.
 */
import net from "node:net";
import { canonicalAddress } from "./private-address.ts";

/** `host` is a canonical IP address without brackets, or a lower-case name without a trailing dot. */
export interface Target {
	readonly host: string;
	readonly port: number;
}

/** A target of a request in absolute form, with the path and query to ask for there. */
export interface HttpTarget {
	readonly target: Target;
	readonly path: string;
}

/** The text is no target. Its message is fit for the client and repeats nothing of the text. */
export class MalformedTarget extends Error {
	override readonly name = "MalformedTarget";
}

const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)$/;
const authorityForm = /^(\[[^\]]*\]|[^:]*)(?::([0-9]{1,5}))?$/;
const httpUrlForm = /^http:\/\/([^/?#]*)([^#]*)/i;

const internalSuffixes = [
	"localhost",
	"local",
	"internal",
	"lan",
	"home.arpa",
	"intranet",
	"corp",
	"home",
	"private",
	"localdomain",
];

/**
 * The canonical form of a host, IPv6 in brackets; undefined when it is none. Short, decimal, octal and hexadecimal IPv4
 * become the address they mean, by the same parser (WHATWG) that browsers use.
 */
export function canonicalHost(text: string): string | undefined {
	// The parser would decode %, fold full-width letters and cut at \ or @: nothing of that may get that far.
	if (!hostForm.test(text)) return undefined;
	const hostname = URL.parse(`http://${text}/`)?.hostname;
	if (hostname === undefined) return undefined;
	if (hostname.startsWith("[")) return canonicalAddress(hostname.slice(1, -1));
	const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
	const isName =
		name.length <= 253 && name.split(".").every((label) => label.length > 0 && label.length <= 63);
	return isName ? name : undefined;
}

/**
 * The target of a CONNECT request, `host:port`.
 * @throws MalformedTarget for anything else: no port, user information, control characters, an address out of range
 */
export function parseAuthority(text: string): Target {
	return authorityTarget(text, undefined);
}

/**
 * The target of a plain request, `http://host[:port]/path`. A fragment is cut off.
 * @throws MalformedTarget for another scheme, an origin-form path, user information, control characters
 */
export function parseHttpUrl(text: string): HttpTarget {
	if (/[^\x21-\x7e]/.test(text))
		throw new MalformedTarget("the address contains characters that no address has");
	const [, authority, rest] = httpUrlForm.exec(text) ?? [];
	if (authority === undefined || rest === undefined) {
		throw new MalformedTarget(
			"this is a proxy: it wants CONNECT, or a full address that begins with http://",
		);
	}
	return { target: authorityTarget(authority, 80), path: rest.startsWith("/") ? rest : `/${rest}` };
}

function authorityTarget(text: string, defaultPort: number | undefined): Target {
	const [, hostText, portText] = authorityForm.exec(text) ?? [];
	const host = hostText === undefined ? undefined : canonicalHost(hostText);
	const port = portText === undefined ? defaultPort : Number(portText);
	if (host === undefined) throw new MalformedTarget("the host of the address is malformed");
	if (port === undefined || port < 1 || port > 65_535)
		throw new MalformedTarget("the port of the address is malformed");
	return { host, port };
}

/** `host:port` with IPv6 in brackets, as CONNECT has it. */
export function hostPort({ host, port }: Target): string {
	return net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `host:port` as a Host header has it: IPv6 in brackets, port 80 left out. */
export function hostHeader({ host, port }: Target): string {
	const bracketed = net.isIPv6(host) ? `[${host}]` : host;
	return port === 80 ? bracketed : `${bracketed}:${port}`;
}

/** Whether a canonical host is a name that only means something inside of a network: single-label, `.local`, `.lan` … */
export function isInternalName(host: string): boolean {
	if (net.isIP(host) !== 0) return false;
	return (
		!host.includes(".") || internalSuffixes.some((suffix) => host.endsWith(`.${suffix}`) || host === suffix)
	);
}
