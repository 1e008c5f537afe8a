/** The daemon's own CDP connection to a session's browser: only what has to be set before the session is handed out. */
import CDP from "chrome-remote-interface";
import { orAborted } from "../base/wait.ts";
import type { CdpAddress, Screen } from "../sessions/ports.ts";

/** A server that sends nothing keeps the session waiting no longer than this; the page goes on loading. */
const NAVIGATION_MS = 10_000;

interface Size {
	inner: { width: number; height: number };
	outer: { width: number; height: number };
}

/** A tab as this connection sees it. */
export interface Tab {
	targetId: string;
	sessionId: string;
}

export class CdpClient implements AsyncDisposable {
	readonly #client: CDP.Client;

	private constructor(client: CDP.Client) {
		this.#client = client;
	}

	static async connect(address: CdpAddress): Promise<CdpClient> {
		const webSocketDebuggerUrl = `ws+unix://${address.socketPath}:${address.path}`;
		// A target object: the library takes a mere address for one to be looked up over HTTP.
		const target = { id: "", type: "browser", title: "", url: "", description: "", devtoolsFrontendUrl: "" };
		return new CdpClient(await CDP({ target: { ...target, webSocketDebuggerUrl }, local: true }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#client.close();
	}

	/** A session on the first tab; undefined when there is none. */
	async attachToFirstTab(): Promise<Tab | undefined> {
		const { targetInfos } = await this.#client.send("Target.getTargets");
		const page = targetInfos.find((target) => target.type === "page");
		if (page === undefined) return undefined;
		const { targetId } = page;
		const { sessionId } = await this.#client.send("Target.attachToTarget", { targetId, flatten: true });
		return { targetId, sessionId };
	}

	async detach({ sessionId }: Tab): Promise<void> {
		await this.#client.send("Target.detachFromTarget", { sessionId });
	}

	/** Makes the tab's viewport exactly `screen`. Answers whether it was already. */
	async fit({ targetId, sessionId }: Tab, screen: Screen): Promise<boolean> {
		const { inner, outer } = await this.#measure(sessionId);
		if (inner.width === screen.width && inner.height === screen.height) return true;
		const { windowId } = await this.#client.send("Browser.getWindowForTarget", { targetId });
		const bounds = {
			width: screen.width + outer.width - inner.width,
			height: screen.height + outer.height - inner.height,
		};
		await this.#client.send("Browser.setWindowBounds", { windowId, bounds });
		return false;
	}

	/** Resolves when the navigation was answered (also by an error page), not when the page has finished loading. */
	async open(url: string, { sessionId }: Tab, signal: AbortSignal): Promise<void> {
		const limit = AbortSignal.timeout(NAVIGATION_MS);
		try {
			const navigation = this.#client.send("Page.navigate", { url }, sessionId);
			await orAborted(navigation, AbortSignal.any([signal, limit]));
		} catch (error) {
			if (!limit.aborted) throw error;
		}
	}

	async #measure(sessionId: string): Promise<Size> {
		const expression =
			"({ inner: { width: innerWidth, height: innerHeight }, outer: { width: outerWidth, height: outerHeight } })";
		const { result } = await this.#client.send(
			"Runtime.evaluate",
			{ expression, returnByValue: true },
			sessionId,
		);
		const size: Size = result.value;
		return size;
	}
}
