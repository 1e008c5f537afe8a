/** A raw CDP client, as low as tests need it: any method, and how the connection closed. */
import { WebSocket } from "ws";

export interface CdpConnection {
	send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
	/** Resolves with the next event of this name. */
	event(method: string): Promise<Record<string, unknown>>;
	/** Resolves when the socket is closed. */
	readonly closed: Promise<{ code: number; reason: string }>;
	close(): Promise<void>;
	/** Attaches to the first page and answers its session id. */
	firstPage(): Promise<string>;
	/** Opens a page, in a context of its own when one is given, and answers its session id. */
	newPage(browserContextId?: string): Promise<string>;
	/** What an expression is worth in a page. */
	evaluate(expression: string, sessionId: string): Promise<unknown>;
	/** Navigates and resolves, once the page has loaded or failed, with its text and the navigation's error. */
	visit(url: string, sessionId: string): Promise<{ errorText: string | undefined; text: string }>;
	readonly socket: WebSocket;
}

type Pending = { resolve(result: Record<string, unknown>): void; reject(error: Error): void };

const LOAD_MS = 10_000;

export async function connectCdp(url: string): Promise<CdpConnection> {
	const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
	const pending = new Map<number, Pending>();
	const listeners = new Map<string, ((params: Record<string, unknown>) => void)[]>();
	const closed = Promise.withResolvers<{ code: number; reason: string }>();
	let lastId = 0;
	socket.on("message", (data: Buffer) => {
		const message = JSON.parse(data.toString());
		if (message.id === undefined) {
			const waiting = listeners.get(message.method) ?? [];
			listeners.delete(message.method);
			for (const listener of waiting) listener({ ...message.params, sessionId: message.sessionId });
			return;
		}
		const request = pending.get(message.id);
		pending.delete(message.id);
		if (message.error !== undefined) request?.reject(new Error(message.error.message));
		else request?.resolve(message.result);
	});
	socket.on("close", (code: number, reason: Buffer) => {
		closed.resolve({ code, reason: reason.toString() });
		for (const request of pending.values())
			request.reject(new Error(`the connection closed: ${code} ${reason.toString()}`));
	});
	const opened = Promise.withResolvers<void>();
	socket.on("open", () => opened.resolve());
	socket.on("error", (error: Error) => opened.reject(error));
	await opened.promise;

	const send: CdpConnection["send"] = (method, params = {}, sessionId) => {
		const answer = Promise.withResolvers<Record<string, unknown>>();
		const id = ++lastId;
		pending.set(id, answer);
		socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
		return answer.promise;
	};
	const event: CdpConnection["event"] = (method) => {
		const heard = Promise.withResolvers<Record<string, unknown>>();
		listeners.set(method, [...(listeners.get(method) ?? []), heard.resolve]);
		return heard.promise;
	};
	const attach = async (targetId: unknown): Promise<string> =>
		String((await send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"]);
	const evaluate: CdpConnection["evaluate"] = async (expression, sessionId) => {
		const answer = await send(
			"Runtime.evaluate",
			{ expression, returnByValue: true, awaitPromise: true },
			sessionId,
		);
		const { result, exceptionDetails } = JSON.parse(JSON.stringify(answer));
		if (exceptionDetails !== undefined)
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	};
	return {
		send,
		event,
		socket,
		closed: closed.promise,
		close: async () => {
			socket.close();
			await closed.promise;
		},
		firstPage: async () => {
			const { targetInfos } = await send("Target.getTargets");
			const targets: { type: string; targetId: string }[] = JSON.parse(JSON.stringify(targetInfos));
			return attach(targets.find(({ type }) => type === "page")?.targetId);
		},
		newPage: async (browserContextId) => {
			const context = browserContextId === undefined ? {} : { browserContextId };
			return attach((await send("Target.createTarget", { url: "about:blank", ...context }))["targetId"]);
		},
		evaluate,
		visit: async (url, sessionId) => {
			await send("Page.enable", {}, sessionId);
			const loaded = event("Page.loadEventFired");
			const { errorText } = await send("Page.navigate", { url }, sessionId);
			await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, LOAD_MS))]);
			const text = await evaluate("document.documentElement?.innerText ?? ''", sessionId);
			return { errorText: typeof errorText === "string" ? errorText : undefined, text: String(text) };
		},
	};
}
