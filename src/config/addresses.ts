/**
 * The texts that name machines and networks in the configuration: each parser answers its normalized form, or undefined
 * when the text is none. What an egress rule opens is decided in egress; here it is only read.
 */
import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";

/** `host` without brackets, as sockets want it. */
export interface HostPort {
	readonly host: string;
	readonly port: number;
}

function parseIp(text: string): string | undefined {
	if (text.includes("%")) return undefined;
	if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
	return ipaddr.process(text).toString();
}

const mappedBits = 96;

function parseCidr(text: string): string | undefined {
	const [, base, bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
	if (base === undefined || bits === undefined || parseIp(base) === undefined) return undefined;
	const given = ipaddr.parse(base);
	const isMapped = given instanceof ipaddr.IPv6 && given.isIPv4MappedAddress() && Number(bits) >= mappedBits;
	const length = isMapped ? Number(bits) - mappedBits : Number(bits);
	const address = isMapped ? ipaddr.process(base) : given;
	const isV4 = address.kind() === "ipv4";
	if (length > (isV4 ? 32 : 128)) return undefined;
	const cidr = `${address.toString()}/${length}`;
	const network = isV4 ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
	return `${network.toString()}/${length}`;
}

/** "10.0.0.7", "fd00::1", "10.0.0.0/8": host bits of a network are cleared, IPv4-mapped IPv6 becomes IPv4. */
export function parseNetwork(text: string): string | undefined {
	return parseCidr(text) ?? parseIp(text);
}

function parseHostName(text: string): string | undefined {
	// The conversion cuts off what follows a "/" and turns "127.1" and "0x7f.1" into addresses.
	if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(text)) return undefined;
	const name = domainToASCII(text).toLowerCase().replace(/\.$/, "");
	if (/(^|\.)\d+$/.test(name)) return undefined;
	if (name.length > 253) return undefined;
	const isName = name.split(".").every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
	return isName ? name : undefined;
}

/** "127.0.0.1:7788", "[::1]:7788", "localhost:7788". The host is never empty; the port is 0 to 65535. */
export function parseHostPort(text: string): HostPort | undefined {
	const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
	const port = Number(digits);
	if (digits === undefined || port > 65_535) return undefined;
	const host =
		bracketed === undefined
			? (parseIp(plain ?? "") ?? parseHostName(plain ?? ""))
			: ipaddr.IPv6.isValid(bracketed)
				? parseIp(bracketed)
				: undefined;
	return host === undefined ? undefined : { host, port };
}

/** "127.0.0.1:7788", "[::1]:7788": the form for URLs, logs and rules. */
export function formatHostPort({ host, port }: HostPort): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A target that sessions may reach though it is private: a network, an address, or one port of an address or a host. */
export function parseTarget(text: string): string | undefined {
	const network = parseNetwork(text);
	if (network !== undefined) return network;
	const target = parseHostPort(text);
	return target === undefined || target.port === 0 ? undefined : formatHostPort(target);
}
