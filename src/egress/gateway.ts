/**
 * The daemon's end of the one HTTP proxy that a session's Chrome knows: a listener on a unix socket, its connections and
 * its byte counts. What one connection does is connection.ts; where it may go is policy.ts.
 */
import { chmod, lstat, unlink } from "node:fs/promises";
import net from "node:net";
import { codeOf, OperatorError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { AllowList } from "./allow-list.ts";
import { refuse, serveClient } from "./connection.ts";
import { type Dial, directDial, type Forward, type Resolve } from "./dial.ts";
import { AllowanceUsedUp, TooManyConnections } from "./error-page.ts";

/** A session's proxy while it is open. `close` (also by `await using`) resolves when no socket of it is left. */
export interface Gateway extends AsyncDisposable {
	readonly socketPath: string;
	/**
	 * Bytes written to targets so far, request heads included (as an http proxy gets them, its Proxy-Authorization with them),
	 * handshakes of an exit excluded.
	 */
	readonly bytesUp: number;
	/** Bytes read from targets so far. */
	readonly bytesDown: number;
	/** Client connections open now. */
	readonly connections: number;
	close(): Promise<void>;
}

export interface GatewayLimits {
	/** How long a client may take for its request head. */
	readonly headTimeoutMs: number;
	/** How long one way of a connection may stay silent once the other has ended. Open tunnels may be idle for ever. */
	readonly halfClosedIdleMs: number;
	/** Each takes two descriptors of the daemon, which it shares among all sessions. */
	readonly maxConnections: number;
}

/** Counts beside the gateway, chunk by chunk, and may say that it is enough. */
export interface Meter {
	up(bytes: number): void;
	down(bytes: number): void;
	/** Once true, the chunk just counted and all later ones are dropped with their connections, and new requests get 403. */
	isExhausted(): boolean;
}

export interface GatewayOptions {
	readonly socketPath: string;
	readonly allow: AllowList;
	readonly log: Log;
	/** For the direct way out; the system's resolver by default. */
	readonly resolve?: Resolve;
	/** The way out; from this machine itself by default. */
	readonly dial?: Dial;
	/** For plain requests, where the way out is an http proxy; without it they are dialled like everything else. */
	readonly forward?: Forward;
	readonly meter?: Meter;
	/** Closes the gateway when it aborts. */
	readonly signal?: AbortSignal;
	readonly limits?: Partial<GatewayLimits>;
}

const defaultLimits: GatewayLimits = {
	headTimeoutMs: 30_000,
	halfClosedIdleMs: 5 * 60_000,
	maxConnections: 1_024,
};

/** What `sun_path` holds without its NUL; Bun says no more than EINVAL about a longer one. */
const maxSocketPathBytes = 107;

/**
 * Listens on the unix socket; a socket file that a dead daemon left there is replaced.
 * @throws OperatorError when the path is too long, or whatever the system says about listening there
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
	const { socketPath, allow, log, resolve, signal, meter } = options;
	if (Buffer.byteLength(socketPath) > maxSocketPathBytes) {
		throw new OperatorError(
			`${socketPath} is longer than ${maxSocketPathBytes} bytes: choose a shorter [server] run_dir`,
		);
	}
	signal?.throwIfAborted();
	const limits = { ...defaultLimits, ...options.limits };
	const clients = new Set<net.Socket>();
	const targets = new Set<net.Socket>();
	let bytesUp = 0;
	let bytesDown = 0;
	const context = {
		dial: options.dial ?? directDial(resolve === undefined ? { allow } : { allow, resolve }),
		log,
		...limits,
		adopt: (target: net.Socket) => track(targets, target),
		forward: options.forward,
		isExhausted: () => meter?.isExhausted() ?? false,
		countUp: (bytes: number) => {
			bytesUp += bytes;
			meter?.up(bytes);
			stopIfExhausted(meter);
		},
		countDown: (bytes: number) => {
			bytesDown += bytes;
			meter?.down(bytes);
			stopIfExhausted(meter);
		},
	};
	const server = net.createServer({ allowHalfOpen: true }, (client) => {
		track(clients, client);
		if (clients.size > limits.maxConnections) {
			refuse(client, new TooManyConnections("too many connections"));
			return;
		}
		serveClient(client, context).catch((error: unknown) => {
			log.error({ err: error }, "egress connection failed");
			client.destroy();
		});
	});
	await listen(server, socketPath);

	const close = once(async () => {
		signal?.removeEventListener("abort", onAbort);
		const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
		server.close(() => onClosed());
		await Promise.all([closed, destroyAll(clients), destroyAll(targets)]);
		// A dial may have been won in the very moment in which its client was destroyed.
		await destroyAll(targets);
	});
	const onAbort = () => {
		close().catch((error: unknown) => log.error({ err: error }, "egress gateway did not close"));
	};
	signal?.addEventListener("abort", onAbort, { once: true });
	if (signal?.aborted) {
		await close();
		signal.throwIfAborted();
	}
	return {
		socketPath,
		get bytesUp() {
			return bytesUp;
		},
		get bytesDown() {
			return bytesDown;
		},
		get connections() {
			return clients.size;
		},
		close,
		[Symbol.asyncDispose]: close,
	};
}

function stopIfExhausted(meter: Meter | undefined): void {
	if (meter?.isExhausted()) throw new AllowanceUsedUp("the allowance is used up");
}

async function listen(server: net.Server, socketPath: string): Promise<void> {
	await removeStaleSocket(socketPath);
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	server.once("error", reject);
	server.listen(socketPath, resolve);
	await promise;
	server.off("error", reject);
	try {
		// The session's own user connects from inside the cage; the folder around the socket keeps everyone else out.
		await chmod(socketPath, 0o666);
	} catch (error) {
		server.close();
		throw error;
	}
}

async function removeStaleSocket(socketPath: string): Promise<void> {
	try {
		if ((await lstat(socketPath)).isSocket()) await unlink(socketPath);
	} catch (error) {
		if (codeOf(error) !== "ENOENT") throw error;
	}
}

function track(sockets: Set<net.Socket>, socket: net.Socket): void {
	sockets.add(socket);
	// "close" follows every error and says enough.
	socket.on("error", () => {});
	socket.once("close", () => sockets.delete(socket));
}

async function destroyAll(sockets: ReadonlySet<net.Socket>): Promise<void> {
	const closings = [...sockets].map((socket) => {
		const { promise, resolve } = Promise.withResolvers<void>();
		socket.once("close", () => resolve());
		socket.destroy();
		return promise;
	});
	await Promise.all(closings);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
	let running: Promise<T> | undefined;
	return () => (running ??= work());
}
