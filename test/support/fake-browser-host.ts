/**
 * Browsers that do what the test says: become ready, fail, exit. Nothing is started; the session manager sees the same port
 * that the real host implements.
 */
import type {
	BrowserExit,
	BrowserHost,
	BrowserRequest,
	CdpAddress,
	RunningBrowser,
	SessionPlace,
} from "../../src/sessions/ports.ts";
import { waitFor } from "./wait-for.ts";

export class FakeBrowser implements SessionPlace {
	readonly sessionId: string;
	readonly egressSocketPath: string;
	/** What the browser was asked for; undefined until its start. */
	request: BrowserRequest | undefined;
	/** Whether somebody has begun to remove it. */
	isEnding = false;
	/** Whether nothing of it is left. */
	isGone = false;
	readonly #cdp: CdpAddress;
	readonly #ready = Promise.withResolvers<void>();
	readonly #exited = Promise.withResolvers<BrowserExit>();
	readonly #removal: () => Promise<void>;

	constructor(sessionId: string, cdp: CdpAddress, removal: () => Promise<void>) {
		this.sessionId = sessionId;
		this.egressSocketPath = `/run/fake/${sessionId}/egress.sock`;
		this.#cdp = cdp;
		this.#removal = removal;
		this.#ready.promise.catch(() => {});
	}

	async start(request: BrowserRequest, signal: AbortSignal): Promise<RunningBrowser> {
		this.request = request;
		const stopped = Promise.withResolvers<never>();
		const onAbort = () => stopped.reject(signal.reason);
		if (signal.aborted) onAbort();
		else signal.addEventListener("abort", onAbort, { once: true });
		await Promise.race([this.#ready.promise, stopped.promise]);
		signal.removeEventListener("abort", onAbort);
		return { cdp: this.#cdp, exited: this.#exited.promise };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.isEnding = true;
		await this.#removal();
		this.isGone = true;
	}

	becomeReady(): void {
		this.#ready.resolve();
	}

	failToStart(message: string): void {
		this.#ready.reject(new Error(message));
	}

	exit(kind: BrowserExit["kind"], detail = `the fake browser ended (${kind})`): void {
		this.#exited.resolve({ kind, detail });
	}
}

export class FakeBrowserHost implements BrowserHost {
	readonly #browsers = new Map<string, FakeBrowser>();
	/** The ids of browsers that wait. */
	readonly spares: string[] = [];
	readonly #takenSpares = new Set<string>();
	/** Browsers become ready by themselves. */
	isReadyAtOnce = false;
	/** Called before anything of a session is made; may throw. */
	onOpen: (sessionId: string) => void = () => {};
	/** Waited for when a browser is removed. */
	removal: () => Promise<void> = async () => {};
	/** Where CDP connections go. */
	cdp: CdpAddress = { socketPath: "/run/fake/cdp.sock", path: "/devtools/browser/fake" };
	/** The arguments of every sweep. */
	readonly sweeps: ReadonlySet<string>[] = [];
	/** How many leftovers the next sweep finds. */
	leftovers = 0;

	takeSpare(): string | undefined {
		const id = this.spares.shift();
		if (id !== undefined) this.#takenSpares.add(id);
		return id;
	}

	giveBackSpare(sessionId: string): void {
		if (this.#takenSpares.delete(sessionId)) this.spares.push(sessionId);
	}

	async open(sessionId: string): Promise<SessionPlace> {
		this.onOpen(sessionId);
		const browser = new FakeBrowser(sessionId, this.cdp, () => this.removal());
		this.#browsers.set(sessionId, browser);
		if (this.isReadyAtOnce) browser.becomeReady();
		return browser;
	}

	async sweep(keep: ReadonlySet<string>): Promise<number> {
		this.sweeps.push(keep);
		return this.leftovers;
	}

	/** The session's browser, once it was asked to start. */
	async browserOf(sessionId: string): Promise<FakeBrowser> {
		await waitFor(
			() => this.#browsers.get(sessionId)?.request !== undefined,
			`the browser of ${sessionId} is started`,
		);
		return this.get(sessionId);
	}

	/** Throws when the session has had no browser so far. */
	get(sessionId: string): FakeBrowser {
		const browser = this.#browsers.get(sessionId);
		if (browser === undefined) throw new Error(`no browser was opened for ${sessionId}`);
		return browser;
	}

	/** Every browser so far, oldest first. */
	opened(): FakeBrowser[] {
		return [...this.#browsers.values()];
	}

	/** The sessions of which something is left. */
	remaining(): string[] {
		return this.opened()
			.filter(({ isGone }) => !isGone)
			.map(({ sessionId }) => sessionId);
	}
}
