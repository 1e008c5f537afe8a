/**
 * Who asks, as an IP address: the other end of the connection or, where that is a trusted proxy, whom the proxies say they
 * forward. Each proxy adds to the right what it saw itself, so what is further left than the first untrusted address is
 * hearsay and is not read.
 */
import type { IncomingHttpHeaders } from "node:http";
import parseForwarded from "forwarded-parse";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The addresses whose forwarding headers are believed. */
export interface TrustedProxies {
	includes(address: Address): boolean;
}

/** One forwarding header: what each proxy wrote, nearest proxy first, and how to read such an entry. */
interface Trail {
	entries: readonly string[];
	parse(entry: string): Address | undefined;
}

const node = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/i;

/** Reads "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]" and "[2001:db8::1]:80"; IPv4-mapped becomes IPv4. */
function parseNode(text: string): Address | undefined {
	const [, bracketed, v4] = node.exec(text) ?? [];
	const host = bracketed ?? v4 ?? text.replace(/%.*$/, "");
	const isAddress = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
	return isAddress ? ipaddr.process(host) : undefined;
}

/** Reads one element of a Forwarded header (RFC 7239) and answers whom it was forwarded for. */
function parseElement(text: string): Address | undefined {
	try {
		return parseNode(parseForwarded(text)[0]?.["for"] ?? "");
	} catch {
		return undefined;
	}
}

/**
 * A Forwarded header is cut at every comma before it is parsed, also inside of quotes: what a client left open on the left
 * cannot swallow what a proxy added to the right.
 */
function entriesOf(header: string | string[] | undefined): string[] {
	const entries = [header ?? []].flat().join(",").split(",");
	return entries
		.map((entry) => entry.trim())
		.filter((entry) => entry !== "")
		.reverse();
}

/** The address at one place of the way. Two headers that tell different stories are as good as none. */
function hopAt(place: number, trails: readonly Trail[]): Address | undefined {
	const told = trails.flatMap(({ entries, parse }) => entries.slice(place, place + 1).map(parse));
	const [hop] = told;
	return told.every((other) => other?.toString() === hop?.toString()) ? hop : undefined;
}

/** Expects addresses and networks as the configuration normalizes them. */
export function parseTrustedProxies(proxies: readonly string[]): TrustedProxies {
	const networks = proxies.map((text): [Address, number] => {
		if (text.includes("/")) return ipaddr.parseCIDR(text);
		const address = ipaddr.process(text);
		return [address, address.kind() === "ipv4" ? 32 : 128];
	});
	return {
		includes: (address) => ipaddr.subnetMatch(address, { trusted: networks }, "untrusted") === "trusted",
	};
}

/**
 * The client's address in its canonical form. `remoteAddress` is the socket's, and is answered as it is when it is no IP
 * address. An entry that is no address (garbage, `unknown`, a hidden name) ends the way: the last good hop is the client.
 */
export function clientAddress(
	remoteAddress: string,
	headers: IncomingHttpHeaders,
	trusted: TrustedProxies,
): string {
	let client = parseNode(remoteAddress);
	if (client === undefined) return remoteAddress;
	if (!trusted.includes(client)) return client.toString();
	const trails = [
		{ entries: entriesOf(headers["x-forwarded-for"]), parse: parseNode },
		{ entries: entriesOf(headers.forwarded), parse: parseElement },
	];
	for (let place = 0; trusted.includes(client); place++) {
		const hop = hopAt(place, trails);
		if (hop === undefined) break;
		client = hop;
	}
	return client.toString();
}

/** What shares one request rate: an IPv4 address, or the /64 of an IPv6 address, which one subscriber has for himself. */
export function rateKey(address: string): string {
	if (!address.includes(":")) return address;
	const parsed = parseNode(address);
	if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address;
	return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
