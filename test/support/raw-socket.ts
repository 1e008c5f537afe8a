/** Bytes on a TCP connection that stays open, and answers compared byte for byte. */
import net from "node:net";

const SETTLE_MS = 1_000;
const ANSWER_MS = 20_000;

export interface RawConnection {
	readonly socket: net.Socket;
	/** Resolves when the first answer has come or the connection is closed, after a second at the latest. */
	readonly settled: Promise<void>;
	readonly closed: Promise<void>;
	received(): string;
}

/** Connects to this machine's port and sends the bytes. */
export async function openRaw(port: number, bytes: string | Buffer): Promise<RawConnection> {
	const socket = net.connect({ host: "127.0.0.1", port });
	let received = "";
	const settled = Promise.withResolvers<void>();
	const closed = Promise.withResolvers<void>();
	const opened = Promise.withResolvers<void>();
	socket.on("connect", () => opened.resolve());
	socket.on("error", () => {});
	socket.on("data", (chunk: Buffer) => {
		received += chunk.toString("latin1");
		settled.resolve();
	});
	socket.on("close", () => {
		for (const { resolve } of [opened, settled, closed]) resolve();
	});
	await opened.promise;
	if (bytes.length > 0) socket.write(bytes);
	const late = setTimeout(() => settled.resolve(), SETTLE_MS);
	void settled.promise.finally(() => clearTimeout(late));
	return { socket, settled: settled.promise, closed: closed.promise, received: () => received };
}

/**
 * The whole answer to a request, or what has come of it by `until`. Without its Date header, which no two answers share.
 * Rejects when the other side neither closes nor says `until` in time.
 */
export async function rawAnswer(
	port: number,
	request: string,
	{ until }: { until?: string } = {},
): Promise<string> {
	const { socket, closed, received } = await openRaw(port, request);
	const answered = Promise.withResolvers<void>();
	socket.on("data", () => until !== undefined && received().includes(until) && answered.resolve());
	const late = setTimeout(() => answered.reject(new Error(`no whole answer: ${received()}`)), ANSWER_MS);
	try {
		await Promise.race([closed, answered.promise]);
	} finally {
		clearTimeout(late);
		socket.destroy();
	}
	return received().replace(/\r\nDate: [^\r]*/i, "");
}

/** A WebSocket upgrade request. */
export function upgrade(path: string): string {
	return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`;
}

/** The upgrade request for the CDP address of a session. */
export function upgradeOf(id: string, token: string): string {
	return upgrade(`/web/${id}/cdp?token=${token}`);
}

/** The token in a session's `connectUrl`. */
export function tokenOf({ connectUrl }: { connectUrl: string }): string {
	return new URL(connectUrl).searchParams.get("token") ?? "";
}
