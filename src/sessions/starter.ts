/**
 * From a start call to a row (spec 4.1): reads the body, gives a repeated call its first answer, looks for the exit and the
 * slot, and takes the slot. It starts no browser.
 */
import type { Feature } from "../accounts/plan.ts";
import type { ActiveSubscription } from "../accounts/subscription.ts";
import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/errors.ts";
import { newSessionId } from "../base/ids.ts";
import type { Exit, Upstream } from "../egress/exit.ts";
import { EgressRefusal } from "../egress/policy.ts";
import { StorageFullError } from "../store/store-error.ts";
import { type Allowance, admit, hasSlotsWith, type SlotQuota, slotQuota } from "./admission.ts";
import { chooseExit, countryOf, type Exits, featuresOf } from "./exit-choice.ts";
import type { IdempotentStarts } from "./idempotency.ts";
import { generateName } from "./names.ts";
import type { BrowserHost, SessionImage } from "./ports.ts";
import type { Session, StartedByKind } from "./session.ts";
import type { SessionStore } from "./session-store.ts";
import { parseStartRequest, type StartRequest } from "./start-request.ts";

const MS_PER_SECOND = 1_000;

/** Who asks. */
export interface Caller {
	accountId: number;
	appKeyId: number | null;
	startedByKind: StartedByKind;
}

export interface StartableImage extends SessionImage {
	requiresFeatureRestrictedImages: boolean;
}

export interface StarterOptions {
	store: SessionStore;
	idempotentStarts: IdempotentStarts;
	clock: Clock;
	lifetimeMs: number;
	exits: Exits;
	/** Browsers that wait, each under the id that its session will have. */
	spares: Pick<BrowserHost, "takeSpare" | "giveBackSpare">;
	/** The image by its id, ready to be run; throws a Refusal when the sessions of such a plan cannot run it. */
	imageOf(imageId: string, mayUseRestricted: boolean): StartableImage;
	/** The subscriptions of an account that are in force now. */
	subscriptionsOf(accountId: number): ActiveSubscription[];
	allowanceOf(subscription: ActiveSubscription, now: number): Allowance;
	residentialBytesLeft(accountId: number, now: number): number | null;
	/** Milliseconds to wait when too many sessions were started lately; undefined when one more may be. */
	startDelayMs(caller: Caller, now: number): number | undefined;
	/** Throws an EgressRefusal when the proxy's host is private, and another error when it cannot be found. */
	checkUpstream(upstream: Upstream): Promise<void>;
}

export interface Start {
	session: Session;
	/** The slots of the account right after this start. */
	quota: SlotQuota;
	/** What to run; undefined when the call repeats an earlier one, whose browser runs already. */
	run: { image: SessionImage; exit: Exit } | undefined;
}

interface SlotWish {
	id: string;
	subscriptions: readonly ActiveSubscription[];
	/** What the subscription has to include. */
	features: readonly Feature[];
	now: number;
}

export class Starter {
	readonly #options: StarterOptions;
	/** Starts with an idempotency key that are under way. */
	readonly #underWay = new Map<string, Promise<Start>>();

	constructor(options: StarterOptions) {
		this.#options = options;
	}

	/** Throws a Refusal, which takes no slot and is not kept for repeated calls. */
	start(caller: Caller, body: unknown): Promise<Start> {
		const request = parseStartRequest(body);
		const { idempotencyKey } = request;
		if (idempotencyKey === undefined || caller.appKeyId === null) return this.#startNew(caller, request);
		const name = `${caller.appKeyId}:${idempotencyKey}`;
		const earlier = this.#underWay.get(name);
		if (earlier !== undefined) return earlier.then((start) => ({ ...start, run: undefined }));
		const started = this.#startOnce({ ...caller, appKeyId: caller.appKeyId }, { ...request, idempotencyKey });
		this.#underWay.set(name, started);
		return started.finally(() => this.#underWay.delete(name));
	}

	async #startOnce(
		caller: Caller & { appKeyId: number },
		request: StartRequest & { idempotencyKey: string },
	): Promise<Start> {
		const { idempotentStarts, store, clock } = this.#options;
		const call = { appKeyId: caller.appKeyId, key: request.idempotencyKey };
		const kept = idempotentStarts.find(call, clock.now());
		const session = kept === undefined ? undefined : store.find(kept.sessionId);
		if (kept === undefined || session === undefined) return this.#startNew(caller, request);
		const { limit, used } = kept;
		return { session, quota: { limit, used, remaining: Math.max(0, limit - used) }, run: undefined };
	}

	async #startNew(caller: Caller, request: StartRequest): Promise<Start> {
		const { subscriptionsOf, imageOf, exits, clock, spares } = this.#options;
		const subscriptions = subscriptionsOf(caller.accountId);
		const ofCaller: readonly Feature[] = caller.startedByKind === "agent" ? ["programmatic_access"] : [];
		const ofRestricted: readonly Feature[] = ["restricted_images", ...ofCaller];
		const image = imageOf(request.imageId, hasSlotsWith(subscriptions, ofRestricted));
		const features = [
			...featuresOf(request.exit),
			...(image.requiresFeatureRestrictedImages ? ofRestricted : ofCaller),
		];
		const { screen } = request;
		const id = spares.takeSpare({ image, screen }) ?? newSessionId();
		try {
			const exit = chooseExit(request.exit, id, exits);
			if (exit.kind === "own_proxy" && hasSlotsWith(subscriptions, features))
				await this.#checkUpstream(exit.upstream);
			const now = clock.now();
			const { session, quota } = this.#takeSlot(caller, request, { id, subscriptions, features, now });
			return { session, quota, run: { image, exit } };
		} catch (error) {
			spares.giveBackSpare(id);
			throw error;
		}
	}

	async #checkUpstream(upstream: Upstream): Promise<void> {
		try {
			await this.#options.checkUpstream(upstream);
		} catch (error) {
			const key = error instanceof EgressRefusal ? "proxy-private" : "proxy-invalid";
			throw new Refusal(key, {}, { code: "invalid_arguments" });
		}
	}

	/** Looks for a slot and takes it as one step: of two starts for the last slot one gets it. A full disk gives none. */
	#takeSlot(caller: Caller, request: StartRequest, wish: SlotWish): { session: Session; quota: SlotQuota } {
		const { store } = this.#options;
		const { id, subscriptions, now } = wish;
		try {
			return store.transaction(() => {
				const live = store.liveOf(caller.accountId);
				const { id: subscriptionId } = this.#admit(caller, live, wish);
				const session = this.#newSession(caller, request, { id, subscriptionId, now });
				store.insert(session);
				const quota = slotQuota(subscriptions, [...live, session]);
				this.#keep(caller, request, { session, quota });
				return { session, quota };
			});
		} catch (error) {
			if (error instanceof StorageFullError)
				throw new Refusal("storage-full", {}, { status: "error", code: "internal_error" });
			throw error;
		}
	}

	#admit(
		caller: Caller,
		live: readonly Session[],
		{ subscriptions, features, now }: SlotWish,
	): ActiveSubscription {
		const { allowanceOf, residentialBytesLeft, startDelayMs } = this.#options;
		const subscription = admit({
			subscriptions,
			live,
			features,
			allowanceOf: (candidate) => allowanceOf(candidate, now),
			residentialBytesLeft: () => residentialBytesLeft(caller.accountId, now),
		});
		const retryAfterMs = startDelayMs(caller, now);
		if (retryAfterMs !== undefined) {
			const seconds = Math.ceil(retryAfterMs / MS_PER_SECOND);
			throw new Refusal("start-rate", { seconds }, { code: "rate_limited", extra: { retryAfterMs } });
		}
		return subscription;
	}

	#newSession(
		caller: Caller,
		request: StartRequest,
		{ id, subscriptionId, now }: { id: string; subscriptionId: number; now: number },
	): Session {
		return {
			id,
			...caller,
			subscriptionId,
			name: request.name ?? generateName(),
			imageId: request.imageId,
			url: request.url,
			country: countryOf(request.exit),
			exitKind: request.exit.kind,
			screen: request.screen,
			state: { status: "starting" },
			createdAt: now,
			readyAt: null,
			lastSeenAt: now,
			expiresAt: now + this.#options.lifetimeMs,
			stopRequestedAt: null,
		};
	}

	#keep(
		caller: Caller,
		{ idempotencyKey }: StartRequest,
		{ session, quota }: { session: Session; quota: SlotQuota },
	): void {
		if (idempotencyKey === undefined || caller.appKeyId === null) return;
		const call = { appKeyId: caller.appKeyId, key: idempotencyKey };
		const start = { sessionId: session.id, limit: quota.limit, used: quota.used };
		this.#options.idempotentStarts.keep(call, start, session.createdAt);
	}
}
