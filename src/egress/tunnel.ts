/** CONNECT: dials the target and joins it with the client, byte for byte. */
import type net from "node:net";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Dial, Forward } from "./dial.ts";
import { AllowanceUsedUp } from "./error-page.ts";
import { splice } from "./splice.ts";
import type { Target } from "./target.ts";

/** What a call needs of its gateway. */
export interface CallContext {
	readonly dial: Dial;
	readonly forward: Forward | undefined;
	readonly log: Log;
	/** How long one way may stay silent once the other has ended. */
	readonly halfClosedIdleMs: number;
	/** Hands an outside socket over for the case that the gateway closes. */
	adopt(target: net.Socket): void;
	isExhausted(): boolean;
	/** @throws AllowanceUsedUp when these bytes must not pass any more */
	countUp(bytes: number): void;
	/** @throws AllowanceUsedUp */
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
export async function dialFor(call: Call, target: Target): Promise<net.Socket> {
	const { dial } = call.context;
	const { socket } = await openFor(call, async () => ({ socket: await dial(target, call.signal) }));
	return socket;
}

/** As `dialFor`, for whatever else the way out opens. */
export async function openFor<T extends { readonly socket: net.Socket }>(
	{ context, signal }: Call,
	open: () => Promise<T>,
): Promise<T> {
	if (context.isExhausted()) throw new AllowanceUsedUp("the allowance is used up");
	const opened = await open();
	context.adopt(opened.socket);
	if (signal.aborted) {
		opened.socket.destroy();
		throw signal.reason;
	}
	return opened;
}

/** Serves a CONNECT request. Rejects, before anything was answered, when the target is not reached; later it hangs up. */
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
	try {
		if (rest.length > 0) for (const part of up(rest)) outside.write(part);
		await splice(client, outside, { up, down, halfClosedIdleMs: context.halfClosedIdleMs });
	} catch (thrown) {
		// Inside of a tunnel nothing can be said any more.
		context.log.debug({ host: target.host, reason: messageOf(thrown) }, "egress tunnel cut");
		outside.destroy();
		client.destroy();
	}
}
