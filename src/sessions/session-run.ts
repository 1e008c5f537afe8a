/**
 * One session's life on this machine, from its folder to the removal of its folder, as one function: whatever it opened is
 * gone when it returns. It tells the manager what happens to the browser and obeys the session's signal.
 */
import { messageOf } from "../base/errors.ts";
import { aborted } from "../base/wait.ts";
import type { SessionEvent } from "./lifecycle.ts";
import type { BrowserHost, BrowserRequest, RunningBrowser, SessionPlace } from "./ports.ts";

export interface SessionRunOptions {
	sessionId: string;
	request: BrowserRequest;
	host: BrowserHost;
	/** Opens the session's way out on this unix socket. */
	openEgress(socketPath: string): Promise<AsyncDisposable>;
	startTimeoutMs: number;
	/** Aborts when the session has ended. */
	signal: AbortSignal;
	onReady(browser: RunningBrowser): void;
	onEvent(event: SessionEvent): void;
}

/** Resolves when nothing of the session is left. Never rejects for a browser that fails: that is an event. */
export async function runSession(options: SessionRunOptions): Promise<void> {
	const { sessionId, host, signal, onEvent } = options;
	try {
		await using place = await host.open(sessionId);
		await using _egress = await options.openEgress(place.egressSocketPath);
		await followBrowser(place, options);
	} catch (error) {
		if (!signal.aborted) onEvent({ type: "browserFailed", detail: messageOf(error) });
	}
}

/**
 * Tells what becomes of the browser until it, or the session, has ended. Its end is told from in here, before anything is
 * cleared up: the row comes first, and clients that wait hear at once.
 */
async function followBrowser(place: SessionPlace, options: SessionRunOptions): Promise<void> {
	const { request, signal, startTimeoutMs, onEvent } = options;
	const timeout = AbortSignal.timeout(startTimeoutMs);
	let browser: RunningBrowser;
	try {
		browser = await place.start(request, AbortSignal.any([signal, timeout]));
	} catch (error) {
		if (signal.aborted) return;
		const late = `the browser was not ready within ${startTimeoutMs} ms`;
		onEvent({ type: "browserFailed", detail: timeout.aborted ? late : messageOf(error) });
		return;
	}
	options.onReady(browser);
	onEvent({ type: "browserReady" });
	const exit = await Promise.race([browser.exited, aborted(signal)]);
	if (exit === undefined) return;
	onEvent(exit.kind === "clean" ? { type: "browserClosed" } : { type: "browserFailed", detail: exit.detail });
}
