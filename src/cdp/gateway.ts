/**
 * CDP connections (spec 2.1 `connectUrl`, 5.9): checks the session's token, waits for a browser that is still starting, then
 * splices the client's socket to the browser's, unparsed. It closes with the reason when the session ends.
 */
import type { Duplex } from "node:stream";
import httpProxy from "http-proxy";
import type { Log } from "../base/log.ts";
import { aborted, orAborted, sleep } from "../base/wait.ts";
import { type RawReply, replyRaw } from "../http/raw-reply.ts";
import type { Upgrade, UpgradeRoute } from "../http/upgrade-table.ts";
import type { EndedReason } from "../sessions/lifecycle.ts";
import type { CdpAddress } from "../sessions/ports.ts";
import { type Attachment, SessionEnded, type SessionManager } from "../sessions/session-manager.ts";
import { closeFrame, FrameTracker, pingFrame } from "./close-frame.ts";

const closeCodes: Record<EndedReason, number> = {
	stopped: 4001,
	timeout: 4002,
	disconnect: 4003,
	runtime: 4004,
	error: 4005,
	lost: 4006,
};
const RESTART_CODE = 1012;

/** A browser's socket that ends unannounced is given this long for the session's end to become known. */
const UNANNOUNCED_END_MS = 2_000;
/** A client that does not answer a close frame is cut off after this. */
const LINGER_MS = 2_000;
/**
 * How often a client is pinged. Nobody waits for the answer; but a connection on which nothing was ever sent would count as
 * a client for hours after the client's machine has vanished, and reverse proxies cut silent ones.
 */
const PING_EVERY_MS = 20_000;

export interface CdpGatewayOptions {
	sessions: SessionManager;
	/** Aborts when the daemon goes away for a restart. */
	restart: AbortSignal;
	log: Log;
}

/** The upgrade route of `/web/<session id>/cdp?token=<token>`. */
export function cdpRoute(options: CdpGatewayOptions): UpgradeRoute {
	return { pattern: /^\/web\/([^/]{1,64})\/cdp$/, handle: (upgrade) => handle(upgrade, options) };
}

async function handle(upgrade: Upgrade, { sessions, restart, log }: CdpGatewayOptions): Promise<void> {
	const { socket, request, url, parameters } = upgrade;
	if (request.method !== "GET" || request.headers.upgrade?.toLowerCase() !== "websocket") {
		replyRaw(socket, {
			statusCode: 400,
			status: "error",
			message: "This address takes WebSocket connections only.",
		});
		return;
	}
	const result = sessions.attach(parameters[0] ?? "", url.searchParams.get("token") ?? "");
	if (result.kind === "unknown") {
		replyRaw(socket, {
			statusCode: 404,
			status: "denied",
			message: "There is no such session, or the token is not its own.",
		});
		return;
	}
	if (result.kind === "ended") {
		replyRaw(socket, endedReply(result.reason));
		return;
	}
	using attachment = result.attachment;
	const gone = closed(socket);
	try {
		const address = await orAborted(attachment.cdp, AbortSignal.any([gone, restart]));
		await splice(upgrade, address, attachment, restart);
	} catch (error) {
		if (!gone.aborted && !restart.aborted && !attachment.signal.aborted)
			log.warn({ session: attachment.lease.sessionId, err: error }, "a CDP connection failed");
		if (gone.aborted || !socket.writable) return;
		if (attachment.signal.reason instanceof SessionEnded) {
			replyRaw(socket, endedReply(attachment.signal.reason.reason));
			return;
		}
		replyRaw(socket, restart.aborted ? restartReply : unreachableReply);
	}
}

const restartReply: RawReply = {
	statusCode: 503,
	status: "error",
	message: "The server restarts; connect again.",
};
const unreachableReply: RawReply = {
	statusCode: 503,
	status: "error",
	message: "The browser cannot be reached.",
};

function endedReply(reason: EndedReason): RawReply {
	return { statusCode: 410, status: "denied", message: `The session has ended: ${reason}.` };
}

/** A signal that aborts when the socket has closed. */
function closed(socket: Duplex): AbortSignal {
	const controller = new AbortController();
	if (socket.destroyed) controller.abort();
	else socket.once("close", () => controller.abort());
	return controller.signal;
}

function endOf(session: AbortSignal, restart: AbortSignal): { code: number; word: string } | undefined {
	if (session.aborted && session.reason instanceof SessionEnded) {
		const { reason } = session.reason;
		return { code: closeCodes[reason], word: reason };
	}
	return restart.aborted ? { code: RESTART_CODE, word: "restart" } : undefined;
}

/** Resolves when the client's socket is closed. Rejects when the browser's side cannot be opened. */
async function splice(
	{ request, socket, head }: Upgrade,
	address: CdpAddress,
	attachment: Attachment,
	restart: AbortSignal,
): Promise<void> {
	const gone = closed(socket);
	const opened = Promise.withResolvers<Duplex>();
	// What the client says of itself is no business of the browser's, and Chrome refuses foreign origins and hosts.
	for (const name of ["origin", "cookie", "authorization"]) delete request.headers[name];
	const proxy = httpProxy.createProxyServer({
		target: { socketPath: address.socketPath, host: "localhost", port: 80, path: address.path },
		headers: { host: "localhost" },
		ignorePath: true,
		toProxy: true,
	});
	const tracker = new FrameTracker();
	proxy.on("open", (browser: Duplex) => {
		browser.on("data", (chunk: Buffer) => tracker.push(chunk));
		// A connection that breaks is one that ends, and http-proxy would hang up on the client at once.
		browser.removeAllListeners("error");
		browser.on("error", () => browser.destroy());
		opened.resolve(browser);
	});
	proxy.ws(request, socket, head, {}, (error) => {
		// http-proxy hangs up right after this.
		replyRaw(socket, unreachableReply);
		opened.reject(error);
	});
	const browser = await orAborted(opened.promise, gone);
	// http-proxy would end the client together with the browser; the client is to hear why first.
	browser.unpipe(socket);
	browser.pipe(socket, { end: false });
	const browserEnded = closed(browser);
	browser.once("end", () => browser.destroy());
	const over = AbortSignal.any([attachment.signal, restart]);
	const pings = setInterval(() => {
		if (tracker.isBetweenFrames && !tracker.hasSeenClose && !socket.writableNeedDrain)
			socket.write(pingFrame);
	}, PING_EVERY_MS);
	await Promise.race([aborted(gone), aborted(over), aborted(browserEnded)]);
	clearInterval(pings);
	if (browserEnded.aborted && !gone.aborted && !tracker.hasSeenClose)
		await sleep(UNANNOUNCED_END_MS, AbortSignal.any([over, gone])).catch(() => {});
	browser.unpipe(socket);
	browser.destroy();
	const end = endOf(attachment.signal, restart);
	if (end !== undefined && tracker.isBetweenFrames && !tracker.hasSeenClose && socket.writable)
		socket.write(closeFrame(end.code, end.word));
	socket.end();
	socket.resume();
	await sleep(LINGER_MS, gone).catch(() => {});
	socket.destroy();
}
