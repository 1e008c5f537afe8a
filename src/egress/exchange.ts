/** One plain http request and its answer, or the WebSocket that it becomes. Nothing behind the request reaches the target. */

import type { Forwarding } from "./dial.ts";
import { forwardHead, isWebSocketUpgrade } from "./forward-head.ts";
import { hangUp } from "./hang-up.ts";
import { BadHead, type RequestHead } from "./http-head.ts";
import { type BodyFilter, bodyFilter, bodyFraming } from "./request-body.ts";
import { BadResponse, ResponseGate } from "./response-gate.ts";
import { splice } from "./splice.ts";
import type { HttpTarget, Target } from "./target.ts";
import { type Call, dialFor, openFor } from "./tunnel.ts";

const maxHeldBytes = 64 * 1_024;

/**
 * Serves a request in absolute form.
 * Rejects while nothing of an answer has gone to the client; later failures end the connection instead.
 */
export async function exchange(call: Call, head: RequestHead, request: HttpTarget): Promise<void> {
	const { client, rest, context } = call;
	const framing = bodyFraming(head);
	const isUpgrade = isWebSocketUpgrade(head);
	if (isUpgrade && (framing.kind === "chunked" || framing.length > 0))
		throw new BadHead("an upgrade with a body");
	const upgrade = isUpgrade ? new UpgradeFilter() : undefined;
	const body = upgrade ?? bodyFilter(framing);
	let isAnswered = false;

	const counted = (parts: Buffer[]) => {
		for (const part of parts) context.countUp(part.length);
		return parts;
	};
	const early = body.take(rest);
	// Proxies forward no upgrade: a WebSocket is dialled.
	const forwarding = isUpgrade ? undefined : await forwardingFor(call, request.target);
	const outside = forwarding?.socket ?? (await dialFor(call, request.target));
	const gate = new ResponseGate(isUpgrade, (status) => {
		if (status === 407 && forwarding !== undefined) throw forwarding.refused();
		for (const part of counted(upgrade?.settle(status === 101) ?? [])) outside.write(part);
	});
	try {
		for (const part of counted([forwardHead(head, request, forwarding), ...early])) outside.write(part);
		await splice(client, outside, {
			up: (chunk) => (isAnswered ? [] : counted(body.take(chunk))),
			down: (chunk) => {
				context.countDown(chunk.length);
				return gate.take(chunk);
			},
			onTargetEnd: () => {
				if (!gate.isOpen) throw new BadResponse("the target closed without an answer");
				if (upgrade?.isSwitched) return;
				isAnswered = true;
				outside.end();
				hangUp(client);
			},
			halfClosedIdleMs: context.halfClosedIdleMs,
		});
	} catch (thrown) {
		outside.destroy();
		if (!gate.isOpen) throw thrown;
		client.destroy();
	}
}

async function forwardingFor(call: Call, target: Target): Promise<Forwarding | undefined> {
	const { forward } = call.context;
	return forward === undefined ? undefined : await openFor(call, () => forward(target, call.signal));
}

/** Holds what the client sends until the target has agreed to the upgrade; when it has not, nothing of that may reach it. */
class UpgradeFilter implements BodyFilter {
	#held: Buffer[] = [];
	#heldBytes = 0;
	#isSwitched: boolean | undefined;

	get isSwitched(): boolean {
		return this.#isSwitched === true;
	}

	take(chunk: Buffer): Buffer[] {
		if (this.#isSwitched !== undefined) return this.#isSwitched ? [chunk] : [];
		this.#heldBytes += chunk.length;
		if (this.#heldBytes > maxHeldBytes) throw new BadHead("data ahead of the answer to an upgrade");
		this.#held.push(chunk);
		return [];
	}

	/** What was held and may now go on. */
	settle(isSwitched: boolean): Buffer[] {
		this.#isSwitched = isSwitched;
		return isSwitched ? this.#held.splice(0) : [];
	}
}
