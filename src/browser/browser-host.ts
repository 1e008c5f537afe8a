/** Runs browsers on this machine, each in its own cage and folder. Implements what the session manager asks for. */
import { OperatorError } from "../base/errors.ts";
import type { BrowserHost, SessionPlace } from "../sessions/ports.ts";
import type { BrowserHostOptions, PlaceOptions } from "./host-options.ts";
import { LocalSessionPlace } from "./local-session-place.ts";
import { endProcessesOf } from "./processes.ts";
import { createRunDir, SessionFolder, sessionsWithFolder } from "./session-folder.ts";
import { SparePool, type SpareWish } from "./spare-pool.ts";
import { checkUncagedRunDir } from "./uncaged.ts";

export class LocalBrowserHost implements BrowserHost, AsyncDisposable {
	readonly #options: PlaceOptions;
	readonly #uids = new Set<number>();
	#spares: SparePool | undefined;

	constructor(options: BrowserHostOptions) {
		this.#options = { ...options, fittingWindows: new Set() };
		if (options.isolation === "none") checkUncagedRunDir(options.runDir);
		createRunDir(options.runDir);
	}

	/** Keeps `count` browsers waiting, of the kind that `wish` says at that moment. */
	keepSpares(count: number, wish: () => SpareWish | undefined): void {
		const { log } = this.#options;
		this.#spares = new SparePool({ count, log, wish, openPlace: (id) => this.#makePlace(id) });
	}

	takeSpare(wish: SpareWish): string | undefined {
		return this.#spares?.take(wish);
	}

	giveBackSpare(sessionId: string): void {
		this.#spares?.giveBack(sessionId);
	}

	async open(sessionId: string): Promise<SessionPlace> {
		return this.#spares?.claim(sessionId) ?? this.#makePlace(sessionId);
	}

	/** Ends the browsers that wait; those of sessions are their sessions'. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#spares?.[Symbol.asyncDispose]();
	}

	#makePlace(sessionId: string): LocalSessionPlace {
		const uid = this.#takeUid();
		try {
			const place = new LocalSessionPlace(sessionId, uid, this.#options, () => {
				if (uid !== undefined) this.#uids.delete(uid);
			});
			place.folder.create(uid, this.#options.isolation);
			return place;
		} catch (error) {
			if (uid !== undefined) this.#uids.delete(uid);
			throw error;
		}
	}

	async sweep(keep: ReadonlySet<string>): Promise<number> {
		const stale = sessionsWithFolder(this.#options.runDir).filter((id) => !keep.has(id));
		await Promise.all(
			stale.map(async (id) => {
				const folder = new SessionFolder(this.#options.runDir, id);
				await endProcessesOf(folder.path);
				await folder.remove();
			}),
		);
		return stale.length;
	}

	#takeUid(): number | undefined {
		if (process.getuid?.() !== 0) return undefined;
		const { firstUid, uidCount } = this.#options;
		for (let uid = firstUid; uid < firstUid + uidCount; uid++) {
			if (this.#uids.has(uid)) continue;
			this.#uids.add(uid);
			return uid;
		}
		throw new OperatorError("every uid of sessions.first_uid and sessions.uid_count is in use");
	}
}
