/**
 * The shim's connection to the daemon: kept up for as long as the shim lives, proven from both sides, and the shim's only
 * measure of whether a daemon is there at all.
 */
import net from "node:net";
import { readJsonLines, writeJsonLine } from "../base/json-lines.ts";
import { hmac, isSameSecret } from "../base/secret.ts";
import { PROTOCOL_VERSION, proofText, type ShimMessage } from "./protocol.ts";

const RETRY_MS = 100;

export interface ControlLinkOptions {
	socketPath: string;
	sessionId: string;
	secret: string;
	orphanTimeoutMs: number;
	/** The daemon asked for the end, or none was heard of for the orphan timeout. */
	onEnd(): void;
}

export class ControlLink {
	readonly #options: ControlLinkOptions;
	readonly #news: ShimMessage[] = [];
	#socket: net.Socket | undefined;
	#orphanTimer: ReturnType<typeof setTimeout> | undefined;

	constructor(options: ControlLinkOptions) {
		this.#options = options;
		this.#watchForOrphan();
		this.#connect();
	}

	/** Tells the daemon, and every daemon that comes later, what became of the browser. */
	tell(message: ShimMessage): void {
		this.#news.push(message);
		if (this.#socket !== undefined) writeJsonLine(this.#socket, message);
	}

	/** Resolves when all that was told has left, at once when no daemon is there. */
	flushed(): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		if (this.#socket === undefined) resolve();
		else this.#socket.end(() => resolve());
		return promise;
	}

	#watchForOrphan(): void {
		this.#orphanTimer ??= setTimeout(() => this.#options.onEnd(), this.#options.orphanTimeoutMs);
	}

	#connect(): void {
		const { sessionId, secret, socketPath } = this.#options;
		const socket = net.connect({ path: socketPath });
		socket.on("connect", () => {
			writeJsonLine(socket, {
				type: "hello",
				version: PROTOCOL_VERSION,
				proof: hmac(secret, proofText("shim", sessionId)),
				pid: process.pid,
			});
		});
		readJsonLines(socket, (message) => this.#onMessage(socket, message));
		socket.on("error", () => {});
		socket.on("close", () => {
			if (this.#socket === socket) this.#socket = undefined;
			this.#watchForOrphan();
			setTimeout(() => this.#connect(), RETRY_MS);
		});
	}

	#onMessage(socket: net.Socket, message: unknown): void {
		if (typeof message !== "object" || message === null || !("type" in message)) {
			socket.destroy();
			return;
		}
		if (message.type === "hello") {
			const expected = hmac(this.#options.secret, proofText("daemon", this.#options.sessionId));
			const proof = "proof" in message ? String(message.proof) : "";
			if (!isSameSecret(proof, expected)) {
				socket.destroy();
				return;
			}
			clearTimeout(this.#orphanTimer);
			this.#orphanTimer = undefined;
			this.#socket = socket;
			for (const news of this.#news) writeJsonLine(socket, news);
			return;
		}
		if (message.type === "end" && this.#socket === socket) this.#options.onEnd();
	}
}
