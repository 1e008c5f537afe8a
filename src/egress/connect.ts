/** Opens a TCP or TLS connection to the first of several addresses that answers. Resolves no name: it takes addresses only. */
import net from "node:net";
import tls from "node:tls";

/** No answer in time, from the resolver or from any address. */
export class DialTimeout extends Error {
	override readonly name = "DialTimeout";
}

export interface ConnectLimits {
	/** How long one address may take. */
	readonly attemptMs: number;
	/** How long an address has the race for itself before the next one is tried beside it (RFC 8305). */
	readonly staggerMs: number;
}

export interface ConnectOptions extends ConnectLimits {
	/** Set: the connection is TLS, and counts as open when the certificate has been verified. */
	readonly tls?: Pick<tls.ConnectionOptions, "ca" | "servername" | "ALPNProtocols" | "rejectUnauthorized">;
}

/** Of a longer list only the head is tried: a name with hundreds of addresses must not become hundreds of sockets. */
const maxAddresses = 10;

/**
 * A connected socket, paused, half-open, with an error listener on it; the attempts that lost are destroyed.
 * @throws the last attempt's error (`DialTimeout`, or the system's), or the signal's reason
 */
export function connectFirst(
	addresses: readonly string[],
	port: number,
	options: ConnectOptions,
	signal: AbortSignal,
): Promise<net.Socket> {
	const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
	const waiting = addresses.slice(0, maxAddresses);
	const running = new Map<net.Socket, NodeJS.Timeout>();
	let stagger: NodeJS.Timeout | undefined;
	let lastError: unknown = new Error("the name has no address");

	const finish = (winner?: net.Socket) => {
		signal.removeEventListener("abort", onAbort);
		clearTimeout(stagger);
		waiting.length = 0;
		for (const [socket, timer] of running) {
			clearTimeout(timer);
			if (socket !== winner) socket.destroy();
		}
		running.clear();
	};
	const onAbort = () => {
		finish();
		reject(signal.reason);
	};
	const fail = (socket: net.Socket, error: unknown) => {
		const timer = running.get(socket);
		if (!running.delete(socket)) return;
		clearTimeout(timer);
		socket.destroy();
		lastError = error;
		startNext();
	};
	const startNext = () => {
		clearTimeout(stagger);
		const address = waiting.shift();
		if (address === undefined) {
			if (running.size > 0) return;
			finish();
			reject(lastError);
			return;
		}
		const endpoint = { host: address, port, allowHalfOpen: true, noDelay: true, keepAlive: true };
		const socket =
			options.tls === undefined ? net.connect(endpoint) : tls.connect({ ...endpoint, ...options.tls });
		running.set(
			socket,
			setTimeout(() => fail(socket, new DialTimeout("no answer in time")), options.attemptMs),
		);
		// Stays for good: from the connection on, "close" says what there is to say.
		socket.on("error", (error) => fail(socket, error));
		socket.once(options.tls === undefined ? "connect" : "secureConnect", () => {
			if (!running.has(socket)) return;
			socket.pause();
			finish(socket);
			resolve(socket);
		});
		if (waiting.length > 0) stagger = setTimeout(startNext, options.staggerMs);
	};

	if (signal.aborted) onAbort();
	else {
		signal.addEventListener("abort", onAbort, { once: true });
		startNext();
	}
	return promise;
}
