/** Rewrites the head of a plain proxy request into the one that the target gets. */
import { type RequestHead, tokensOf } from "./http-head.ts";
import { type HttpTarget, hostHeader } from "./target.ts";

/** Ours to write, or meant for the next hop only. */
const dropped = new Set(["host", "connection", "keep-alive", "te", "trailer", "upgrade", "http2-settings"]);

/** Naming these in Connection would change what the body is; they stay whatever it says. */
const framing = new Set(["content-length", "transfer-encoding"]);

/** Whether the request asks for a WebSocket; no other upgrade is passed on. */
export function isWebSocketUpgrade({ method, version, headers }: RequestHead): boolean {
	const protocols = tokensOf(headers, "upgrade");
	return (
		method === "GET" &&
		version === "1.1" &&
		tokensOf(headers, "connection").includes("upgrade") &&
		protocols.length === 1 &&
		protocols[0] === "websocket"
	);
}

/** For a proxy that forwards the request: what it is told in Proxy-Authorization, if anything. */
export interface AbsoluteForm {
	readonly authorization: string | undefined;
}

/**
 * The head with `Connection: close` (or Upgrade), without hop-by-hop and proxy headers; in origin form, or in absolute form
 * for a proxy.
 */
export function forwardHead(head: RequestHead, { target, path }: HttpTarget, proxy?: AbsoluteForm): Buffer {
	const named = new Set(tokensOf(head.headers, "connection").filter((token) => !framing.has(token)));
	const kept = head.headers.filter(({ name }) => {
		const key = name.toLowerCase();
		return !dropped.has(key) && !named.has(key) && !key.startsWith("proxy-");
	});
	const lines = [
		`${head.method} ${proxy === undefined ? "" : `http://${hostHeader(target)}`}${path} HTTP/${head.version}`,
		`Host: ${hostHeader(target)}`,
		...(proxy?.authorization === undefined ? [] : [`Proxy-Authorization: ${proxy.authorization}`]),
		...kept.map(({ name, value }) => `${name}: ${value}`),
		...(isWebSocketUpgrade(head) ? ["Connection: Upgrade", "Upgrade: websocket"] : ["Connection: close"]),
	];
	return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
