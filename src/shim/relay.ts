/**
 * Copies bytes between the session's two unix sockets and Chrome's loopback ports, connection by connection, without
 * looking at them. Back-pressure is the streams' own: a side that stops reading stops the other.
 */
import net from "node:net";

type Address = { path: string } | { port: number };

export interface Relay {
	/** The TCP port in use, 0 for a unix socket. */
	readonly port: number;
}

function splice(inbound: net.Socket, to: Address): void {
	inbound.pause();
	const outbound =
		"path" in to
			? net.connect({ path: to.path, allowHalfOpen: true })
			: net.connect({ host: "127.0.0.1", port: to.port, allowHalfOpen: true, noDelay: true });
	const drop = () => {
		inbound.destroy();
		outbound.destroy();
	};
	inbound.on("error", drop);
	outbound.on("error", drop);
	// A socket that was reset closes without an end: its partner must not linger.
	inbound.on("close", (hadError) => hadError && drop());
	outbound.on("close", (hadError) => hadError && drop());
	outbound.on("connect", () => {
		inbound.pipe(outbound);
		outbound.pipe(inbound);
	});
}

/** Listens on `from` and joins each connection to a new one to `to()`, asked for at that moment. */
export function openRelay(from: Address, to: () => Address): Promise<Relay> {
	const { promise, resolve, reject } = Promise.withResolvers<Relay>();
	const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (inbound) => splice(inbound, to()));
	server.on("error", reject);
	const onListening = () => {
		const address = server.address();
		resolve({ port: typeof address === "object" && address !== null ? address.port : 0 });
	};
	if ("path" in from) server.listen({ path: from.path }, onListening);
	else server.listen({ host: "127.0.0.1", port: from.port }, onListening);
	return promise;
}
