/** CONNECT: dials the target and joins it with the client, byte for byte. */
import type net from "node:net";
import type { Log } from "../base/log.ts";
import type { Dial } from "./dial.ts";
import { splice } from "./splice.ts";
import type { Target } from "./target.ts";

/** What a call needs of its gateway. */
export interface CallContext {
	readonly dial: Dial;
	readonly log: Log;
	/** How long one way may stay silent once the other has ended. */
	readonly halfClosedIdleMs: number;
	/** Hands an outside socket over for the case that the gateway closes. */
	adopt(target: net.Socket): void;
	countUp(bytes: number): void;
	countDown(bytes: number): void;
}

/** One request whose head has been read. */
export interface Call {
	readonly client: net.Socket;
	/** What came right behind the head. */
	readonly rest: Buffer;
	/** Aborts when the client is gone. */
	readonly signal: AbortSignal;
	readonly context: CallContext;
}

/** The outside connection of a call, which ends with the gateway at the latest. Rejects as `Dial` does. */
export async function dialFor({ context, signal }: Call, target: Target): Promise<net.Socket> {
	const socket = await context.dial(target, signal);
	context.adopt(socket);
	if (signal.aborted) {
		socket.destroy();
		throw signal.reason;
	}
	return socket;
}

/** Serves a CONNECT request. Rejects, before anything was answered, when the target is not reached. */
export async function tunnel(call: Call, target: Target): Promise<void> {
	const { client, rest, context } = call;
	const outside = await dialFor(call, target);
	client.write("HTTP/1.1 200 Connection established\r\n\r\n");
	const up = (chunk: Buffer) => {
		context.countUp(chunk.length);
		return [chunk];
	};
	const down = (chunk: Buffer) => {
		context.countDown(chunk.length);
		return [chunk];
	};
	if (rest.length > 0) for (const part of up(rest)) outside.write(part);
	await splice(client, outside, { up, down, halfClosedIdleMs: context.halfClosedIdleMs });
}
