import type { Clock } from "../../src/base/clock.ts";

/** Time that stands still until the test moves it. */
export class FakeClock implements Clock {
	#now: number;

	constructor(start = "2026-03-01T12:00:00.000Z") {
		this.#now = Date.parse(start);
	}

	now(): number {
		return this.#now;
	}

	advance(ms: number): void {
		this.#now += ms;
	}
}
