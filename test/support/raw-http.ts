/** One request as bytes, for what no HTTP client would send. */
import net from "node:net";

const GIVE_UP_MS = 5_000;

/** Everything that comes back until the server ends the connection, or until `isEnough`. */
export function sendRaw(
	port: number,
	request: string | readonly (string | Buffer)[],
	isEnough: (received: string) => boolean = () => false,
): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	const socket = net.connect({ host: "127.0.0.1", port });
	let received = "";
	const finish = () => {
		clearTimeout(timer);
		socket.destroy();
		resolve(received);
	};
	const timer = setTimeout(() => {
		socket.destroy();
		reject(new Error(`no end after ${GIVE_UP_MS} ms, so far: ${JSON.stringify(received)}`));
	}, GIVE_UP_MS);
	socket.setEncoding("utf8");
	socket.on("data", (chunk) => {
		received += String(chunk);
		if (isEnough(received)) finish();
	});
	// A reset after the answer is no news: the server has stopped reading.
	socket.on("error", finish);
	socket.on("close", finish);
	socket.on("connect", () => {
		for (const part of typeof request === "string" ? [request] : request) socket.write(part);
	});
	return promise;
}
