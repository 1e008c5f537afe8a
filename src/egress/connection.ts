/**
 * One connection of a client to the gateway: reads its one request head, hands it to tunnel or exchange, and answers with
 * an error page where they fail. One connection reaches one target, whatever else the client sends on it.
 */
import type net from "node:net";
import { codeOf, messageOf } from "../base/errors.ts";
import { errorPage } from "./error-page.ts";
import { exchange } from "./exchange.ts";
import { hangUp } from "./hang-up.ts";
import { HeadReader, parseRequestHead, type SplitHead } from "./http-head.ts";
import { EgressRefusal } from "./policy.ts";
import { parseAuthority, parseHttpUrl, type Target } from "./target.ts";
import { type Call, type CallContext, tunnel } from "./tunnel.ts";

export interface ConnectionContext extends CallContext {
	readonly headTimeoutMs: number;
}

/** Serves the client until its request is done or refused; the socket may outlast that by a moment. */
export async function serveClient(client: net.Socket, context: ConnectionContext): Promise<void> {
	const gone = new AbortController();
	client.once("close", () => gone.abort(new Error("the client is gone")));
	let target: Target | undefined;
	try {
		const split = await readHead(client, context.headTimeoutMs);
		if (split === undefined) return;
		const head = parseRequestHead(split.head);
		const call: Call = { client, rest: split.rest, signal: gone.signal, context };
		if (head.method === "CONNECT") {
			target = parseAuthority(head.target);
			await tunnel(call, target);
		} else {
			const request = parseHttpUrl(head.target);
			target = request.target;
			await exchange(call, head, request);
		}
	} catch (thrown) {
		if (gone.signal.aborted) return;
		const reason = thrown instanceof EgressRefusal ? thrown.reason : (codeOf(thrown) ?? messageOf(thrown));
		context.log.debug({ host: target?.host, reason }, "egress request not served");
		refuse(client, thrown);
	}
}

/** Answers with an error page and lets go of the client, at the latest when it has had time to read the page. */
export function refuse(client: net.Socket, thrown: unknown): void {
	if (client.destroyed) return;
	client.write(errorPage(thrown));
	client.resume();
	hangUp(client);
}

/** The head; undefined, with the client destroyed, when it ends or takes too long. Leaves the client paused. */
function readHead(client: net.Socket, timeoutMs: number): Promise<SplitHead | undefined> {
	const { promise, resolve, reject } = Promise.withResolvers<SplitHead | undefined>();
	const reader = new HeadReader();
	const done = () => {
		clearTimeout(timer);
		client.pause();
		client.off("data", onData).off("end", giveUp).off("close", giveUp);
	};
	const giveUp = () => {
		done();
		client.destroy();
		resolve(undefined);
	};
	const onData = (chunk: Buffer) => {
		try {
			const split = reader.push(chunk);
			if (split === undefined) return;
			done();
			resolve(split);
		} catch (thrown) {
			done();
			reject(thrown);
		}
	};
	const timer = setTimeout(giveUp, timeoutMs);
	client.on("data", onData).once("end", giveUp).once("close", giveUp);
	return promise;
}
