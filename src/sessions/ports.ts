/** What the session manager needs from whoever runs browsers. `src/browser` implements it; tests have a fake one. */
export interface Screen {
	/** Page viewport in CSS pixels (spec 4.1: 320-1920 by 480-1080). */
	width: number;
	height: number;
}

/** The image of a session as the browser host needs it: an executable that exists, and its flags. */
export interface SessionImage {
	id: string;
	executable: string;
	flags: readonly string[];
}

export interface BrowserRequest {
	image: SessionImage;
	screen: Screen;
	/** Opened before the browser counts as ready; null leaves a blank page. */
	url: string | null;
}

/** How a browser ended: on its own wish (`Browser.close`, last window closed), or by crash, kill or loss of its shim. */
export interface BrowserExit {
	kind: "clean" | "failed";
	/** One sentence for the operator: exit code or signal, last output. */
	detail: string;
}

/** Where a CDP connection goes: a WebSocket on this unix socket under this path. */
export interface CdpAddress {
	socketPath: string;
	path: string;
}

export interface RunningBrowser {
	readonly cdp: CdpAddress;
	/** Resolves once, when the browser is gone. */
	readonly exited: Promise<BrowserExit>;
}

/** All that a session has on this machine. Disposing ends every process of it and removes its folder. */
export interface SessionPlace extends AsyncDisposable {
	/** Where the egress gateway has to listen before the browser starts. */
	readonly egressSocketPath: string;
	/** Resolves when the browser answers CDP and shows the url. Rejects when the signal aborts or the browser fails. */
	start(request: BrowserRequest, signal: AbortSignal): Promise<RunningBrowser>;
}

export interface BrowserHost {
	/**
	 * The id under which a browser waits that suits the request, for the session that is about to start. Given once: it is then
	 * either opened or given back. Undefined when none waits.
	 */
	takeSpare(wish: Pick<BrowserRequest, "image" | "screen">): string | undefined;
	giveBackSpare(sessionId: string): void;
	/** Makes the session's folder. */
	open(sessionId: string): Promise<SessionPlace>;
	/** Ends every browser, and removes every folder, of a session that is not in `keep`. Answers how many there were. */
	sweep(keep: ReadonlySet<string>): Promise<number>;
}
