/**
 * Joins a client's socket and a target's until both ways are over. A way that ends (FIN) leaves the other one open; a
 * reader that stops makes the writer on the other side stop; an error on one side ends both.
 */
import type net from "node:net";
import { hangUp } from "./hang-up.ts";

/** Takes a chunk from one side and gives what the other side gets. What it throws ends the splice. */
export type Passage = (chunk: Buffer) => readonly Buffer[];

export interface SpliceOptions {
	readonly up: Passage;
	readonly down: Passage;
	/** Called before the target's end is passed on to the client. What it throws ends the splice. */
	readonly onTargetEnd?: () => void;
	/** How long one way may stay silent once the other has ended; without it a target could collect sockets for ever. */
	readonly halfClosedIdleMs: number;
}

/**
 * Runs both ways, over sockets that allow half-open and are paused. Resolves when both are closed. When a passage throws,
 * rejects with that; the target is destroyed then, and the client is left paused and writable for a last word.
 */
export function splice(client: net.Socket, target: net.Socket, options: SpliceOptions): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const stops: (() => void)[] = [];
	const stop = () => {
		for (const undo of stops.splice(0)) undo();
	};
	const fault = (thrown: unknown) => {
		stop();
		target.destroy();
		client.pause();
		reject(thrown);
	};
	const onClose = (socket: net.Socket, other: net.Socket) => {
		if (!socket.readableEnded) other.destroy();
		// It has handed its end over, so the other side may still be writing the last bytes out; but it takes no more.
		else if (!socket.writableFinished || socket.errored) hangUp(other);
		if (!other.closed) return;
		stop();
		resolve();
	};
	const join = (from: net.Socket, to: net.Socket, pass: Passage, beforeEnd: () => void) => {
		const onData = (chunk: Buffer) => {
			try {
				for (const part of pass(chunk)) to.write(part);
			} catch (thrown) {
				fault(thrown);
				return;
			}
			if (to.writableNeedDrain) from.pause();
		};
		const onDrain = () => from.resume();
		const onEnd = () => {
			try {
				beforeEnd();
			} catch (thrown) {
				fault(thrown);
				return;
			}
			to.end();
			to.setTimeout(options.halfClosedIdleMs, () => to.destroy());
		};
		const onClosed = () => onClose(from, to);
		from.on("data", onData).once("end", onEnd).once("close", onClosed);
		to.on("drain", onDrain);
		stops.push(() => {
			from.off("data", onData).off("end", onEnd).off("close", onClosed);
			to.off("drain", onDrain).setTimeout(0);
		});
		// Bun emits "end" on a paused socket that has nothing buffered, and so perhaps before anyone listened.
		if (from.readableEnded) onEnd();
		else from.resume();
	};
	if (client.destroyed || target.destroyed) {
		client.destroy();
		target.destroy();
		resolve();
		return promise;
	}
	join(client, target, options.up, () => {});
	join(target, client, options.down, options.onTargetEnd ?? (() => {}));
	return promise;
}
