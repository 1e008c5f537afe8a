/** A TCP and UDP listener on every address of this machine that nothing may reach: it keeps whatever is sent to it. */
import dgram from "node:dgram";
import net from "node:net";
import os from "node:os";

export interface Canary extends AsyncDisposable {
	readonly port: number;
	/** The first bytes of every connection and datagram so far; an empty text for a connection that has sent nothing. */
	readonly visits: string[];
	/** Sends a datagram to the canary itself. */
	sendDatagram(): void;
}

const ANSWER =
	"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 16\r\nConnection: close\r\n\r\ncanary was there";

export async function startCanary(): Promise<Canary> {
	const visits: string[] = [];
	const open = new Set<net.Socket>();
	const server = net.createServer((socket) => {
		const index = visits.push("") - 1;
		open.add(socket);
		socket.on("close", () => open.delete(socket));
		socket.on("error", () => {});
		socket.once("data", (chunk: Buffer) => {
			visits[index] = chunk.toString("latin1", 0, 200);
			socket.end(ANSWER);
		});
	});
	await new Promise<void>((resolve) => server.listen({ host: "::", port: 0 }, resolve));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const datagrams = dgram.createSocket("udp6", (message) => visits.push(message.toString("latin1", 0, 200)));
	await new Promise<void>((resolve) => datagrams.bind(port, "::", resolve));
	return {
		port,
		visits,
		sendDatagram: () => {
			const socket = dgram.createSocket("udp4");
			socket.send("from the test itself", port, "127.0.0.1", () => socket.close());
		},
		[Symbol.asyncDispose]: async () => {
			for (const socket of open) socket.destroy();
			datagrams.close();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Whether a connection to the address can be opened from this process. */
export function isReachable(host: string, port: number): Promise<boolean> {
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const socket = net.connect({ host, port });
	socket.on("connect", () => resolve(true));
	socket.on("error", () => resolve(false));
	return promise.finally(() => socket.destroy());
}

/** The addresses of this machine's interfaces other than loopback, IPv6 in brackets and without link-local ones. */
export function outsideAddresses(): string[] {
	return Object.values(os.networkInterfaces())
		.flatMap((addresses) => addresses ?? [])
		.filter(({ internal, address }) => !internal && !address.startsWith("fe80"))
		.map(({ family, address }) => (family === "IPv6" ? `[${address}]` : address));
}
