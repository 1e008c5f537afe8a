/**
 * One session's life on this machine, from its folder to the removal of its folder, as one function: whatever it opened is
 * gone when it returns. It tells the manager what happens to the browser and obeys the session's signal.
 */
import { messageOf } from "../base/errors.ts";
import { aborted } from "../base/wait.ts";
import type { SessionEvent } from "./lifecycle.ts";
import type { BrowserHost, BrowserRequest, RunningBrowser } from "./ports.ts";

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
	const { sessionId, host, request, signal, startTimeoutMs, onEvent } = options;
	const timeout = AbortSignal.timeout(startTimeoutMs);
	let isReady = false;
	try {
		await using place = await host.open(sessionId);
		await using _egress = await options.openEgress(place.egressSocketPath);
		const browser = await place.start(request, AbortSignal.any([signal, timeout]));
		isReady = true;
		options.onReady(browser);
		onEvent({ type: "browserReady" });
		const exit = await Promise.race([browser.exited, aborted(signal)]);
		if (exit === undefined) return;
		if (exit.kind === "clean") onEvent({ type: "browserClosed" });
		else onEvent({ type: "browserFailed", detail: exit.detail });
	} catch (error) {
		if (signal.aborted) return;
		const isLate = timeout.aborted && !isReady;
		const detail = isLate ? `the browser was not ready within ${startTimeoutMs} ms` : messageOf(error);
		onEvent({ type: "browserFailed", detail });
	}
}
