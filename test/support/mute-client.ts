/** A client that opens a CDP connection and never says a word: it answers no ping and no close. */
import net from "node:net";
import { waitFor } from "./wait-for.ts";

export interface MuteClient extends Disposable {
	readonly socket: net.Socket;
	/** Resolves when what was received ends with these bytes. */
	untilReceived(bytes: Buffer, withinMs: number): Promise<void>;
}

export async function connectMute(connectUrl: string): Promise<MuteClient> {
	const { hostname, port, pathname, search } = new URL(connectUrl);
	const socket = net.connect({ host: hostname, port: Number(port) });
	let received = Buffer.alloc(0);
	socket.on("error", () => {});
	socket.on("data", (chunk: Buffer) => {
		received = Buffer.concat([received, chunk]);
	});
	socket.write(
		[
			`GET ${pathname}${search} HTTP/1.1`,
			"Host: localhost",
			"Connection: Upgrade",
			"Upgrade: websocket",
			"Sec-WebSocket-Version: 13",
			`Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`,
			"\r\n",
		].join("\r\n"),
	);
	await waitFor(() => received.includes("\r\n\r\n"), "the connection was answered");
	if (!received.toString("latin1").startsWith("HTTP/1.1 101 "))
		throw new Error(`refused: ${received.toString("latin1")}`);
	return {
		socket,
		untilReceived: (bytes, withinMs) =>
			waitFor(
				() => received.subarray(-bytes.length).equals(bytes),
				`${bytes.toString("hex")} was received`,
				withinMs,
			),
		[Symbol.dispose]: () => socket.destroy(),
	};
}
