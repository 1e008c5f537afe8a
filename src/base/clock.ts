/** Time as the domain sees it: milliseconds since the epoch, injected so that tests can move it. */
export interface Clock {
	now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 in UTC with milliseconds, as every timestamp on the wire is written (spec 2.1). */
export function toIso(epochMs: number): string {
	return new Date(epochMs).toISOString();
}
