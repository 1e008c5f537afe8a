/** A month of a subscription. It begins at 00:00 UTC: a day is whole, and so is every hour that bytes are counted in. */
export interface BillingCycle {
	readonly start: number;
	/** The first millisecond of the next cycle. */
	readonly end: number;
}

/** 00:00 UTC of the day in a month; its last day when it has no such day. `month` may lie outside 0 to 11. */
function startOfDay(year: number, month: number, day: number): number {
	const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
	return Date.UTC(year, month, Math.min(day, lastDay));
}

/**
 * The billing cycle that `now` lies in (spec 2.4), by calendar month from the day (UTC) on which the subscription started.
 * One that started on the 31st renews on the last day of shorter months and on the 31st again after them.
 */
export function billingCycle(startedAt: number, now: number): BillingCycle {
	const day = new Date(startedAt).getUTCDate();
	const today = new Date(now);
	const year = today.getUTCFullYear();
	const month = today.getUTCMonth();
	const renewal = startOfDay(year, month, day);
	return now < renewal
		? { start: startOfDay(year, month - 1, day), end: renewal }
		: { start: renewal, end: startOfDay(year, month + 1, day) };
}
