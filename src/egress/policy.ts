/** Decides whether a target may be reached. Pure but for this machine's own addresses, which it reads at each call. */
import type { AllowList } from "./allow-list.ts";
import { canonicalAddress, isOwnAddress, isPublicAddress, ownAddresses } from "./private-address.ts";
import { isInternalName, type Target } from "./target.ts";

/** Why a target is refused. */
export type EgressRefusalReason =
	| "port"
	| "internal-name"
	| "private-address"
	| "own-address"
	| "browser-service";

/** An expected no to a target, by policy. What cannot be resolved or reached is a plain error instead. */
export class EgressRefusal extends Error {
	override readonly name = "EgressRefusal";
	readonly reason: EgressRefusalReason;
	readonly host: string;

	constructor(reason: EgressRefusalReason, host: string) {
		super(`${host} is refused: ${reason}`);
		this.reason = reason;
		this.host = host;
	}
}

/**
 * Services that Chrome calls on its own and that no page needs: component updates, field trials, optimization hints, autofill
 * queries. Some 13 KB at every start would be billed as residential, and lean flags do not silence all of them. Not refused,
 * though Chrome calls them too: *.gvt1.com (Chrome for Testing, Android Studio and others are downloaded there; without
 * update.googleapis.com Chrome never asks for it), accounts.google.com and clients2.google.com (pages use them), Safe
 * Browsing (it protects whoever watches a session).
 */
const browserServices = new Set([
	"update.googleapis.com",
	"clientservices.googleapis.com",
	"optimizationguide-pa.googleapis.com",
	"content-autofill.googleapis.com",
]);

/**
 * What can be refused before a name is resolved: port 25, the browser's own services, and internal names as long as nothing is allowed.
 * @throws EgressRefusal
 */
export function checkTarget({ host, port }: Target, allow: AllowList): void {
	if (port === 25) throw new EgressRefusal("port", host);
	if (browserServices.has(host)) throw new EgressRefusal("browser-service", host);
	if (isInternalName(host) && allow.isEmpty) throw new EgressRefusal("internal-name", host);
}

/**
 * Those of the addresses of a target that may be dialled. One that is neither public nor allowed refuses them all, as a
 * name that answers both ways is an attempt at rebinding; an internal name is reached at allowed addresses only.
 * @param addresses what the target's name resolved to, or the target's own address
 * @throws EgressRefusal
 */
export function allowedAddresses(
	{ host, port }: Target,
	addresses: readonly string[],
	allow: AllowList,
): string[] {
	const internal = isInternalName(host);
	const own = ownAddresses();
	const opened = new Set<string>();
	for (const text of addresses) {
		const address = canonicalAddress(text);
		if (address !== undefined && allow.allows(host, address, port)) opened.add(address);
		else if (internal) continue;
		else if (address === undefined || !isPublicAddress(address))
			throw new EgressRefusal("private-address", host);
		else if (isOwnAddress(address, own)) throw new EgressRefusal("own-address", host);
		else opened.add(address);
	}
	if (internal && opened.size === 0) throw new EgressRefusal("internal-name", host);
	return [...opened];
}
