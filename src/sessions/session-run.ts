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
		// Told before anything is cleared up: the row comes first, and clients that wait hear at once.
		for await (const event of browserEvents(place, options)) onEvent(event);
	} catch (error) {
		if (!signal.aborted) onEvent({ type: "browserFailed", detail: messageOf(error) });
	}
}

/** What becomes of the browser until it, or the session, has ended. */
async function* browserEvents(place: SessionPlace, options: SessionRunOptions): AsyncGenerator<SessionEvent> {
	const { request, signal, startTimeoutMs } = options;
	const timeout = AbortSignal.timeout(startTimeoutMs);
	let browser: RunningBrowser;
	try {
		browser = await place.start(request, AbortSignal.any([signal, timeout]));
	} catch (error) {
		if (signal.aborted) return;
		const late = `the browser was not ready within ${startTimeoutMs} ms`;
		yield { type: "browserFailed", detail: timeout.aborted ? late : messageOf(error) };
		return;
	}
	options.onReady(browser);
	yield { type: "browserReady" };
	const exit = await Promise.race([browser.exited, aborted(signal)]);
	if (exit === undefined) return;
	yield exit.kind === "clean" ? { type: "browserClosed" } : { type: "browserFailed", detail: exit.detail };
}
