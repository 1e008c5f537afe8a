/** Reads what a proxy says before a connection is the session's own. */
import type net from "node:net";
import { UpstreamFault } from "./upstream-fault.ts";

/** A part of a handshake, and what came behind it. */
export interface Part<T> {
	readonly value: T;
	readonly rest: Buffer;
}

/** Takes chunks until the part is complete. What it throws ends the handshake. */
export type Collect<T> = (chunk: Buffer) => Part<T> | undefined;

/**
 * Reads one part off a paused socket and leaves it paused, with whatever came behind the part still to be read.
 * Rejects with UpstreamFault when the proxy ends first, or with the signal's reason.
 */
export function readPart<T>(socket: net.Socket, signal: AbortSignal, collect: Collect<T>): Promise<T> {
	const { promise, resolve, reject } = Promise.withResolvers<T>();
	const done = () => {
		socket.pause();
		socket.off("data", onData).off("end", onEnd).off("close", onEnd);
		signal.removeEventListener("abort", onAbort);
	};
	const onAbort = () => {
		done();
		reject(signal.reason);
	};
	const onEnd = () => {
		done();
		reject(new UpstreamFault("protocol", "closed"));
	};
	const onData = (chunk: Buffer) => {
		try {
			const part = collect(chunk);
			if (part === undefined) return;
			done();
			if (part.rest.length > 0) socket.unshift(part.rest);
			resolve(part.value);
		} catch (thrown) {
			done();
			reject(thrown);
		}
	};
	if (signal.aborted) reject(signal.reason);
	else if (socket.destroyed || socket.readableEnded) reject(new UpstreamFault("protocol", "closed"));
	else {
		signal.addEventListener("abort", onAbort, { once: true });
		socket.on("data", onData).once("end", onEnd).once("close", onEnd);
		socket.resume();
	}
	return promise;
}

/** Exactly that many bytes. */
export function readBytes(socket: net.Socket, signal: AbortSignal, count: number): Promise<Buffer> {
	let pending = Buffer.alloc(0);
	return readPart(socket, signal, (chunk) => {
		pending = Buffer.concat([pending, chunk]);
		if (pending.length < count) return undefined;
		return { value: pending.subarray(0, count), rest: pending.subarray(count) };
	});
}
