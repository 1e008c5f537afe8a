/** A gateway on a socket in a folder of its own, raw clients for it, and origins on loopback. */
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { silentLog } from "../../../src/base/log.ts";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { type Gateway, type GatewayOptions, openGateway } from "../../../src/egress/gateway.ts";

/** Bytes as text, latin1, and what became of the connection. */
export class Peer implements Disposable {
	readonly socket: net.Socket;
	#received: Buffer[] = [];
	bytes = 0;
	isEnded = false;
	isClosed = false;

	constructor(socket: net.Socket) {
		this.socket = socket;
		socket.on("error", () => {});
		socket.on("data", (chunk: Buffer) => {
			this.bytes += chunk.length;
			this.#received.push(chunk);
		});
		socket.once("end", () => {
			this.isEnded = true;
		});
		socket.once("close", () => {
			this.isClosed = true;
		});
	}

	get text(): string {
		return this.buffer.toString("latin1");
	}

	get buffer(): Buffer {
		return Buffer.concat(this.#received);
	}

	send(data: string | Buffer): this {
		this.socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data);
		return this;
	}

	/** The text, once it contains the part. */
	async until(part: string): Promise<string> {
		await eventually(
			() => this.text.includes(part),
			() => `${part} in ${JSON.stringify(this.text.slice(0, 500))}`,
		);
		return this.text;
	}

	/** The text, once the other end has said that there is no more. */
	async ended(): Promise<string> {
		await eventually(
			() => this.isEnded || this.isClosed,
			() => "the end",
		);
		return this.text;
	}

	async closed(): Promise<string> {
		await eventually(
			() => this.isClosed,
			() => "the close",
		);
		return this.text;
	}

	[Symbol.dispose](): void {
		this.socket.destroy();
	}
}

/** Resolves as soon as the condition holds; rejects after five seconds, saying what was waited for. */
export async function eventually(condition: () => boolean, what: () => string = () => "it"): Promise<void> {
	const end = performance.now() + 5_000;
	while (!condition()) {
		if (performance.now() > end) throw new Error(`waited in vain for ${what()}`);
		await pause(2);
	}
}

export function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A TCP server on loopback; `onPeer` runs for every connection. */
export interface Origin extends AsyncDisposable {
	readonly port: number;
	readonly peers: Peer[];
}

export async function openOrigin(
	onPeer: (peer: Peer) => void = () => {},
	host = "127.0.0.1",
): Promise<Origin> {
	const peers: Peer[] = [];
	const server = net.createServer({ allowHalfOpen: true }, (socket) => {
		const peer = new Peer(socket);
		peers.push(peer);
		onPeer(peer);
	});
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	server.once("error", reject);
	server.listen(0, host, resolve);
	await promise;
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	return {
		port: address.port,
		peers,
		async [Symbol.asyncDispose]() {
			for (const peer of peers) peer.socket.destroy();
			const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
			server.close(() => onClosed());
			await closed;
		},
	};
}

/** An origin that answers the first request head (and nothing else) with these bytes and then ends. */
export function openAnswering(answer: string): Promise<Origin> {
	return openOrigin((peer) => {
		const onData = () => {
			if (!peer.text.includes("\r\n\r\n")) return;
			peer.socket.off("data", onData);
			peer.socket.end(Buffer.from(answer, "latin1"));
		};
		peer.socket.on("data", onData);
	});
}

export interface Rig extends AsyncDisposable {
	readonly gateway: Gateway;
	readonly socketPath: string;
	connect(): Promise<Peer>;
	/** A client whose CONNECT has been answered with 200. */
	tunnel(authority: string): Promise<Peer>;
	/** What the gateway answers to these bytes before it ends. */
	ask(bytes: string): Promise<string>;
}

type RigOptions = Partial<Omit<GatewayOptions, "allow">> & { allow?: string[] };

export async function openRig({ allow = ["127.0.0.1"], ...options }: RigOptions = {}): Promise<Rig> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "egress-"));
	const socketPath = options.socketPath ?? path.join(folder, "egress.sock");
	const peers: Peer[] = [];
	const opening = openGateway({ log: silentLog, ...options, socketPath, allow: parseAllowList(allow) });
	opening.catch(() => rm(folder, { recursive: true, force: true }));
	const gateway = await opening;
	const connect = async () => {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const socket = net.connect({ path: socketPath, allowHalfOpen: true }, resolve);
		socket.once("error", reject);
		const peer = new Peer(socket);
		peers.push(peer);
		await promise;
		return peer;
	};
	return {
		gateway,
		socketPath,
		connect,
		async tunnel(authority) {
			const peer = await connect();
			await peer.send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`).until("\r\n\r\n");
			if (!peer.text.startsWith("HTTP/1.1 200 ")) throw new Error(peer.text);
			return peer;
		},
		async ask(bytes) {
			const peer = await connect();
			return await peer.send(bytes).ended();
		},
		async [Symbol.asyncDispose]() {
			for (const peer of peers) peer.socket.destroy();
			await gateway.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

export const established = "HTTP/1.1 200 Connection established\r\n\r\n";
