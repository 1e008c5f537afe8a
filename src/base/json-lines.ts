import type { Socket } from "node:net";

const LONGEST_LINE = 64 * 1024;

/**
 * Hands each line that arrives on the socket to `onMessage` as parsed JSON. A line that is too long or is no JSON ends
 * the connection: the other side is not one of ours. Nothing is handed over once the socket is destroyed.
 */
export function readJsonLines(socket: Socket, onMessage: (message: unknown) => void): void {
	let pending = "";
	socket.setEncoding("utf8");
	socket.on("data", (chunk: string | Buffer) => {
		const lines = (pending + chunk.toString()).split("\n");
		pending = lines.pop() ?? "";
		if (pending.length > LONGEST_LINE) socket.destroy();
		for (const line of lines) {
			if (line.length > LONGEST_LINE) socket.destroy();
			if (socket.destroyed) return;
			let message: unknown;
			try {
				message = JSON.parse(line);
			} catch {
				socket.destroy();
				return;
			}
			onMessage(message);
		}
	});
}

export function writeJsonLine(socket: Socket, message: object): void {
	if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}
