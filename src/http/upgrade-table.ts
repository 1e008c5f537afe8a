/** Which socket upgrade goes where: an exact match of the path, and nothing for everybody else. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface Upgrade {
	request: IncomingMessage;
	socket: Duplex;
	/** What the client sent right behind its request. */
	head: Buffer;
	url: URL;
	/** The groups of the route's pattern. */
	parameters: readonly string[];
}

export interface UpgradeRoute {
	/** Matched against the whole path. */
	pattern: RegExp;
	handle(upgrade: Upgrade): Promise<void>;
}

export type UpgradeMatch = { route: UpgradeRoute; url: URL; parameters: readonly string[] };

/** The route for a request target such as `/web/ID/cdp?token=T`; undefined when nothing matches it. */
export function findRoute(routes: readonly UpgradeRoute[], target: string): UpgradeMatch | undefined {
	if (!target.startsWith("/") || !URL.canParse(target, "http://localhost")) return undefined;
	const url = new URL(target, "http://localhost");
	// A URL tidies its path up: dot segments, backslashes, a host's name behind two slashes. None of that is an exact match.
	if (url.pathname !== target.split("?", 1)[0]) return undefined;
	for (const route of routes) {
		const match = route.pattern.exec(url.pathname);
		if (match !== null && match[0] === url.pathname) return { route, url, parameters: match.slice(1) };
	}
	return undefined;
}
