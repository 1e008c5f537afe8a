/**
 * The daemon's end of a shim's control connection. Listens in the session's `in/` folder; believes only a shim that proves
 * the session's secret, and only messages of the form agreed on: what runs in the cage is not trusted.
 */
import { chmodSync, rmSync } from "node:fs";
import net from "node:net";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { readJsonLines, writeJsonLine } from "../base/json-lines.ts";
import { hmac, isSameSecret } from "../base/secret.ts";
import { type DaemonMessage, PROTOCOL_VERSION, proofText } from "../shim/protocol.ts";
import { type ShimExit, shimExitSchema } from "./browser-exit.ts";

const helloSchema = Type.Object({
	type: Type.Literal("hello"),
	version: Type.Integer(),
	proof: Type.String(),
});
const readySchema = Type.Object({
	type: Type.Literal("ready"),
	cdpPath: Type.String({ pattern: "^/devtools/browser/[0-9a-zA-Z-]{1,64}$" }),
	browserPid: Type.Integer(),
});
const exitedSchema = Type.Composite([Type.Object({ type: Type.Literal("exited") }), shimExitSchema]);

/** A shim needs one, and a second one in the moment of a reconnect; each takes a descriptor that all sessions share. */
const MAX_CONNECTIONS = 8;

export interface ControlServerOptions {
	socketPath: string;
	sessionId: string;
	secret: string;
}

export class ControlServer implements Disposable {
	readonly #options: ControlServerOptions;
	readonly #server = net.createServer((socket) => this.#onConnection(socket));
	readonly #sockets = new Set<net.Socket>();
	/** Those of the shim. */
	readonly #proven = new Set<net.Socket>();
	readonly #ready = Promise.withResolvers<{ cdpPath: string }>();
	readonly #exited = Promise.withResolvers<ShimExit>();

	constructor(options: ControlServerOptions) {
		this.#options = options;
	}

	/** Resolves with the path of the browser's CDP address once the browser answers. */
	get ready(): Promise<{ cdpPath: string }> {
		return this.#ready.promise;
	}

	/** Resolves when the shim reports the browser's end. */
	get exited(): Promise<ShimExit> {
		return this.#exited.promise;
	}

	async listen(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		rmSync(this.#options.socketPath, { force: true });
		this.#server.once("error", reject);
		this.#server.listen({ path: this.#options.socketPath }, resolve);
		await promise;
		chmodSync(this.#options.socketPath, 0o666);
	}

	/** Tells the shim to end its browser and itself. Where processes can be found they are killed besides; elsewhere this is all. */
	[Symbol.dispose](): void {
		this.#server.close();
		const end: DaemonMessage = { type: "end" };
		for (const socket of this.#sockets) {
			if (!this.#proven.has(socket)) socket.destroy();
			else {
				writeJsonLine(socket, end);
				socket.end();
			}
		}
	}

	#onConnection(socket: net.Socket): void {
		if (this.#sockets.size >= MAX_CONNECTIONS) {
			socket.destroy();
			return;
		}
		this.#sockets.add(socket);
		socket.on("error", () => {});
		socket.on("close", () => {
			this.#sockets.delete(socket);
			this.#proven.delete(socket);
		});
		readJsonLines(socket, (message) => {
			if (!this.#proven.has(socket)) {
				if (this.#greet(socket, message)) this.#proven.add(socket);
				else socket.destroy();
			} else if (Value.Check(readySchema, message)) this.#ready.resolve(message);
			else if (Value.Check(exitedSchema, message)) this.#exited.resolve(message);
		});
	}

	#greet(socket: net.Socket, message: unknown): boolean {
		const { secret, sessionId } = this.#options;
		if (!Value.Check(helloSchema, message) || message.version !== PROTOCOL_VERSION) return false;
		if (!isSameSecret(message.proof, hmac(secret, proofText("shim", sessionId)))) return false;
		const answer: DaemonMessage = {
			type: "hello",
			version: PROTOCOL_VERSION,
			proof: hmac(secret, proofText("daemon", sessionId)),
		};
		writeJsonLine(socket, answer);
		return true;
	}
}
