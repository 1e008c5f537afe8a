/** `[egress] allow`: the private targets that the operator opened, one by one. */
import ipaddr from "ipaddr.js";
import { OperatorError } from "../base/errors.ts";
import { canonicalAddress, parseAddress } from "./private-address.ts";
import { canonicalHost } from "./target.ts";

/** Answers for canonical hosts and addresses. */
export interface AllowList {
	/** True when nothing at all is allowed, so that a name need not even be looked up. */
	readonly isEmpty: boolean;
	/** Whether `address`, to which `host` resolved (or which it is), may be dialled on `port`. */
	allows(host: string, address: string, port: number): boolean;
}

type Rule = AllowList["allows"];

/**
 * Reads the entries: a CIDR range or an address (any port), `address:port`, `[v6]:port`, or `name:port`, which allows
 * whatever address that name resolves to.
 * @throws OperatorError naming the first entry that is none of these
 */
export function parseAllowList(entries: readonly string[]): AllowList {
	const rules = entries.map(parseEntry);
	return {
		isEmpty: rules.length === 0,
		allows: (host, address, port) => rules.some((rule) => rule(host, address, port)),
	};
}

function parseEntry(entry: string): Rule {
	const text = entry.trim();
	const rule = text.includes("/") ? rangeRule(text) : (addressRule(text) ?? portRule(text));
	if (rule !== undefined) return rule;
	throw new OperatorError(
		`[egress] allow: ${JSON.stringify(entry)} is none of 10.0.0.0/8, 10.0.0.7, 10.0.0.7:8080, [fd00::7]:8080, nas.lan:8080`,
	);
}

function rangeRule(text: string): Rule | undefined {
	const [, addressText = "", bitsText = ""] = /^([^/]+)\/([0-9]{1,3})$/.exec(text) ?? [];
	const base = parseAddress(addressText);
	if (base === undefined) return undefined;
	// Addresses are compared with IPv4-mapped IPv6 already unwrapped, so a mapped range has to be unwrapped too.
	const isMapped = base instanceof ipaddr.IPv4 && addressText.includes(":");
	const bits = Number(bitsText) - (isMapped ? 96 : 0);
	if (bits < 0 || bits > (base instanceof ipaddr.IPv4 ? 32 : 128)) return undefined;
	return (_host, address) => {
		const parsed = parseAddress(address);
		if (parsed instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && parsed.match(base, bits);
		return parsed !== undefined && base instanceof ipaddr.IPv6 && parsed.match(base, bits);
	};
}

function addressRule(text: string): Rule | undefined {
	const allowed = canonicalAddress(text);
	return allowed === undefined ? undefined : (_host, address) => canonicalAddress(address) === allowed;
}

function portRule(text: string): Rule | undefined {
	const [, hostText = "", portText] = /^(\[[^\]]+\]|[^:]+):([0-9]{1,5})$/.exec(text) ?? [];
	const allowed = canonicalHost(hostText);
	const allowedPort = Number(portText);
	if (allowed === undefined || !(allowedPort >= 1 && allowedPort <= 65_535)) return undefined;
	const isAddress = canonicalAddress(allowed) !== undefined;
	return (host, address, port) =>
		port === allowedPort && (isAddress ? canonicalAddress(address) : host) === allowed;
}
