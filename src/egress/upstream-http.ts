/** An http proxy, in clear or behind TLS: CONNECT, and what a plain request needs to be forwarded by it. */
import type net from "node:net";
import type { Upstream } from "./exit.ts";
import { BadHead, HeadReader } from "./http-head.ts";
import { hostPort, type Target } from "./target.ts";
import { UpstreamFault } from "./upstream-fault.ts";
import { readPart } from "./upstream-handshake.ts";

const statusLineForm = /^HTTP\/1\.[01] ([0-9]{3})(?: |\r)/;

/** The value of Proxy-Authorization; undefined when the proxy has no credentials. */
export function authorizationOf(upstream: Upstream): string | undefined {
	const credentials = upstream.credentials();
	if (credentials === undefined) return undefined;
	return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64")}`;
}

/** Asks the proxy at the other end of the socket for the target. Rejects with UpstreamFault when it says no. */
export async function connectHttp(
	socket: net.Socket,
	upstream: Upstream,
	target: Target,
	signal: AbortSignal,
): Promise<void> {
	const authorization = authorizationOf(upstream);
	const lines = [
		`CONNECT ${hostPort(target)} HTTP/1.1`,
		`Host: ${hostPort(target)}`,
		...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
	];
	socket.write(`${lines.join("\r\n")}\r\n\r\n`);
	const reader = new HeadReader();
	const head = await readPart(socket, signal, (chunk) => {
		try {
			const split = reader.push(chunk);
			return split === undefined ? undefined : { value: split.head, rest: split.rest };
		} catch (thrown) {
			throw thrown instanceof BadHead ? new UpstreamFault("protocol", thrown.message) : thrown;
		}
	});
	const [, status] = statusLineForm.exec(head.toString("latin1", 0, 64)) ?? [];
	if (status === undefined) throw new UpstreamFault("protocol", "no HTTP/1 answer");
	if (status.startsWith("2")) return;
	// tinyproxy says 401 to wrong credentials and 407 to none.
	throw new UpstreamFault(status === "407" || status === "401" ? "credentials" : "refused", status);
}
