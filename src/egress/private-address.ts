/**
 * Which addresses belong to the public internet. It knows ranges, not names and not what the operator allows: that is
 * allow-list.ts. Whatever is in doubt is private.
 */
import net from "node:net";
import os from "node:os";
import ipaddr from "ipaddr.js";

const refusedV4 = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"168.63.129.16/32", // Azure's host agent, reachable from every virtual machine there
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/3",
].map((range) => ipaddr.IPv4.parseCIDR(range));

const globalUnicastV6 = ipaddr.IPv6.parseCIDR("2000::/3");

const refusedV6 = [
	"2001::/23", // IETF assignments: Teredo, ORCHID and others
	"2001:db8::/32",
	"2002::/16", // 6to4 carries an IPv4 address of anyone's choice
	"3fff::/20",
	"5f00::/16", // outside 2000::/3 today; stated so that it stays refused
].map((range) => ipaddr.IPv6.parseCIDR(range));

/**
 * Of RFC 8215's 64:ff9b:1::/48 only this layout says where the IPv4 address is; the rest of it is a network's own choice,
 * so it lies outside of what can be judged and is refused with everything else outside of 2000::/3.
 */
const nat64 = ["64:ff9b::/96", "64:ff9b:1::/96"].map((range) => ipaddr.IPv6.parseCIDR(range));

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * An address from its text, IPv4-mapped IPv6 as the IPv4 inside; undefined for anything else. Stricter than ipaddr.js:
 * no short, octal or hexadecimal IPv4 and no zone id.
 */
export function parseAddress(text: string): Address | undefined {
	if (net.isIP(text) === 0 || text.includes("%")) return undefined;
	if (net.isIPv4(text)) return ipaddr.IPv4.parse(text);
	// By way of the URL parser's hexadecimal form, as ipaddr.js takes ::8.8.8.8 for the mapped ::ffff:8.8.8.8.
	const hexadecimal = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
	return hexadecimal === undefined ? undefined : ipaddr.process(hexadecimal);
}

/** The one spelling of an address under which two texts of the same address are equal; undefined when it is none. */
export function canonicalAddress(text: string): string | undefined {
	const address = parseAddress(text);
	return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address?.toString();
}

/** Whether the address is one of the public internet; false for what is no address, and for one with a zone id. */
export function isPublicAddress(ip: string): boolean {
	const address = parseAddress(ip);
	if (address === undefined) return false;
	return address instanceof ipaddr.IPv4 ? isPublicV4(address) : isPublicV6(address);
}

function isPublicV4(address: ipaddr.IPv4): boolean {
	return !refusedV4.some((range) => address.match(range));
}

function isPublicV6(address: ipaddr.IPv6): boolean {
	const inside = insideNat64(address);
	if (inside !== undefined) return isPublicV4(inside);
	return address.match(globalUnicastV6) && !refusedV6.some((range) => address.match(range));
}

function insideNat64(address: Address): ipaddr.IPv4 | undefined {
	const isTranslated = address instanceof ipaddr.IPv6 && nat64.some((range) => address.match(range));
	return isTranslated ? new ipaddr.IPv4(address.toByteArray().slice(12)) : undefined;
}

/** Whether the address is one of `own` (as `ownAddresses` gives them), also by way of NAT64. */
export function isOwnAddress(ip: string, own: ReadonlySet<string>): boolean {
	const address = parseAddress(ip);
	if (address === undefined) return false;
	return own.has(canonicalAddress(ip) ?? "") || own.has(insideNat64(address)?.toString() ?? "");
}

/** The addresses of this machine's interfaces, canonical. Read anew at every call, which costs some 20 µs. */
export function ownAddresses(): Set<string> {
	const own = new Set<string>();
	for (const addresses of Object.values(os.networkInterfaces())) {
		for (const { address } of addresses ?? []) {
			const canonical = canonicalAddress(address.replace(/%.*$/, ""));
			if (canonical !== undefined) own.add(canonical);
		}
	}
	return own;
}
