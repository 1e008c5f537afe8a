/**
 * The request rate (spec 8): a token bucket for each client, kept as one number, the time at which it is full again.
 *
 * Memory is bounded: the buckets longest unused are forgotten first. Every request keeps its bucket, also a refused one, so
 * an offender who goes on is not forgotten. One who pauses is forgotten once `BUCKETS` other clients have asked; that gives
 * him a full bucket, which he would have had anyway after burst / requestsPerSecond seconds. There is room for every /64 of
 * an IPv6 /48, the most that one subscriber commonly has, so nobody wipes out his own traces with it.
 */
import { LRUCache } from "lru-cache";
import type { Clock } from "../base/clock.ts";

const BUCKETS = 131_072;
/** Sums of fractions are off by less; a token more or less than that is not meant. */
const TOLERANCE = 1e-6;

export interface RequestRateOptions {
	requestsPerSecond: number;
	/** Requests that may come at once. */
	burst: number;
	clock: Clock;
}

export class RequestRate {
	readonly #fullAt = new LRUCache<string, number>({ max: BUCKETS });
	readonly #options: RequestRateOptions;
	readonly #epoch: number;

	constructor(options: RequestRateOptions) {
		this.#options = options;
		this.#epoch = options.clock.now();
	}

	/** Takes a token from the client's bucket. False when it is empty: the request is to be refused. */
	take(key: string): boolean {
		const { requestsPerSecond, burst, clock } = this.#options;
		// Time is counted in tokens, so that a bucket lacks as many of them as it needs time to be full.
		const now = ((clock.now() - this.#epoch) / 1_000) * requestsPerSecond;
		const missing = (this.#fullAt.get(key) ?? now) - now;
		// No bucket lacks more than all: a clock that was set back refuses nobody for longer than that.
		const lacking = Math.min(Math.max(missing, 0), burst);
		if (lacking + 1 > burst + TOLERANCE) {
			this.#fullAt.set(key, now + lacking);
			return false;
		}
		this.#fullAt.set(key, now + lacking + 1);
		return true;
	}
}
