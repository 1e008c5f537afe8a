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

/** The head in origin form with `Connection: close` (or Upgrade), without hop-by-hop and proxy headers. */
export function forwardHead(head: RequestHead, { target, path }: HttpTarget): Buffer {
	const named = new Set(tokensOf(head.headers, "connection").filter((token) => !framing.has(token)));
	const kept = head.headers.filter(({ name }) => {
		const key = name.toLowerCase();
		return !dropped.has(key) && !named.has(key) && !key.startsWith("proxy-");
	});
	const lines = [
		`${head.method} ${path} HTTP/${head.version}`,
		`Host: ${hostHeader(target)}`,
		...kept.map(({ name, value }) => `${name}: ${value}`),
		...(isWebSocketUpgrade(head) ? ["Connection: Upgrade", "Upgrade: websocket"] : ["Connection: close"]),
	];
	return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
