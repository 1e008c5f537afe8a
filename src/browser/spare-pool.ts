/**
 * Browsers that wait ready, so that a start takes milliseconds. A spare is a whole session without a row: a place of its own
 * under the id that the session will have, its way out closed until it is given to somebody.
 */
import { newSessionId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { BrowserRequest, RunningBrowser, SessionPlace } from "../sessions/ports.ts";

/** After a start has taken a spare, the machine is the new session's for a moment. */
const REFILL_AFTER_MS = 500;
/** A browser that cannot be started is not tried again at once. */
const RETRY_AFTER_MS = 30_000;
/** A browser that waits for long has gathered memory, and may have been updated on disk. */
const LIFE_MS = 30 * 60 * 1_000;
const START_MS = 60_000;

/** A place whose browser can be started before anybody asks for it. */
export interface SparePlace extends SessionPlace {
	warmUp(request: BrowserRequest, signal: AbortSignal): Promise<RunningBrowser>;
}

/** What a spare is good for: the same executable, flags and viewport. */
export type SpareWish = Pick<BrowserRequest, "image" | "screen">;

interface Spare {
	id: string;
	place: SparePlace;
	kind: string;
	retirement: ReturnType<typeof setTimeout>;
}

export interface SparePoolOptions {
	/** How many browsers wait. */
	count: number;
	log: Log;
	openPlace(id: string): SparePlace;
	/** What the next spare should be; undefined while there is nothing to start. */
	wish(): SpareWish | undefined;
}

function kindOf({ image, screen }: SpareWish): string {
	return JSON.stringify([image.executable, image.flags, screen.width, screen.height]);
}

export class SparePool implements AsyncDisposable {
	readonly #options: SparePoolOptions;
	readonly #waiting = new Map<string, Spare>();
	/** Given to a start that has not opened it yet. */
	readonly #taken = new Map<string, Spare>();
	readonly #closing = new AbortController();
	readonly #endings = new Set<Promise<void>>();
	#timer: ReturnType<typeof setTimeout> | undefined;
	#filling: Promise<void> | undefined;

	constructor(options: SparePoolOptions) {
		this.#options = options;
		this.#fillAfter(0);
	}

	/** The id of a waiting browser of this kind, given once; undefined when none waits. */
	take(wish: SpareWish): string | undefined {
		const kind = kindOf(wish);
		const spare = [...this.#waiting.values()].find((candidate) => candidate.kind === kind);
		if (spare === undefined) return undefined;
		this.#waiting.delete(spare.id);
		this.#taken.set(spare.id, spare);
		this.#fillAfter(REFILL_AFTER_MS);
		return spare.id;
	}

	/** The place of a spare that was taken, now its session's; undefined when the id is none of a spare. */
	claim(id: string): SessionPlace | undefined {
		const spare = this.#taken.get(id);
		this.#taken.delete(id);
		clearTimeout(spare?.retirement);
		return spare?.place;
	}

	/** Puts back what was taken for a start that came to nothing. */
	giveBack(id: string): void {
		const spare = this.#taken.get(id);
		if (spare === undefined) return;
		this.#taken.delete(id);
		this.#waiting.set(id, spare);
	}

	/** Resolves when no spare is left. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		clearTimeout(this.#timer);
		await this.#filling;
		for (const spare of [...this.#waiting.values(), ...this.#taken.values()]) this.#end(spare);
		await Promise.all(this.#endings);
	}

	#fillAfter(ms: number): void {
		if (this.#closing.signal.aborted) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#filling ??= this.#fill().finally(() => {
				this.#filling = undefined;
			});
		}, ms);
	}

	async #fill(): Promise<void> {
		const { count, wish, log } = this.#options;
		while (this.#waiting.size < count && !this.#closing.signal.aborted) {
			const next = wish();
			if (next === undefined) return this.#fillAfter(RETRY_AFTER_MS);
			try {
				await this.#startOne(next);
			} catch (error) {
				if (this.#closing.signal.aborted) return;
				log.warn({ err: error }, "a spare browser could not be started");
				return this.#fillAfter(RETRY_AFTER_MS);
			}
		}
	}

	async #startOne(wish: SpareWish): Promise<void> {
		const id = newSessionId();
		const place = this.#options.openPlace(id);
		let browser: RunningBrowser;
		try {
			const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(START_MS)]);
			browser = await place.warmUp({ ...wish, url: null }, signal);
		} catch (error) {
			await place[Symbol.asyncDispose]();
			throw error;
		}
		const retire = (why: string) => {
			if (!this.#waiting.has(id)) return;
			this.#options.log.info({ why }, "a spare browser is replaced");
			this.#end(spare);
			this.#fillAfter(REFILL_AFTER_MS);
		};
		const spare = {
			id,
			place,
			kind: kindOf(wish),
			retirement: setTimeout(() => retire("it has waited long"), LIFE_MS),
		};
		this.#waiting.set(id, spare);
		this.#options.log.debug({ spare: id }, "a spare browser waits");
		void browser.exited.then(({ detail }) => retire(detail));
	}

	#end(spare: Spare): void {
		this.#waiting.delete(spare.id);
		this.#taken.delete(spare.id);
		clearTimeout(spare.retirement);
		const ending = this.#clearUp(spare);
		this.#endings.add(ending);
		void ending.finally(() => this.#endings.delete(ending));
	}

	async #clearUp({ place }: Spare): Promise<void> {
		try {
			await place[Symbol.asyncDispose]();
		} catch (error) {
			this.#options.log.error({ err: error }, "a spare browser could not be cleared up");
		}
	}
}
