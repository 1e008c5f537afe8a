/** Answers on a socket that asked for an upgrade and gets none. */
import type { Duplex } from "node:stream";

export interface RawReply {
	statusCode: 400 | 404 | 410 | 500 | 503;
	/** As in every other answer of the API (spec 7). */
	status: "denied" | "error";
	message: string;
}

const reasons = {
	400: "Bad Request",
	404: "Not Found",
	410: "Gone",
	500: "Internal Server Error",
	503: "Service Unavailable",
} as const;

export function replyRaw(socket: Duplex, { statusCode, status, message }: RawReply): void {
	if (!socket.writable) {
		socket.destroy();
		return;
	}
	const body = JSON.stringify({ status, message });
	socket.end(
		[
			`HTTP/1.1 ${statusCode} ${reasons[statusCode]}`,
			"Content-Type: application/json; charset=utf-8",
			`Content-Length: ${Buffer.byteLength(body)}`,
			"Connection: close",
			"",
			body,
		].join("\r\n"),
		() => socket.destroy(),
	);
}
