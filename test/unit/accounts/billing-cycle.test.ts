import { describe, expect, test } from "vitest";
import { billingCycle } from "../../../src/accounts/billing-cycle.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function cycleAt(startedAt: string, now: string): string {
	const { start, end } = billingCycle(Date.parse(startedAt), Date.parse(now));
	return `${new Date(start).toISOString()} ${new Date(end).toISOString()}`;
}

/** Both at 00:00 UTC. */
const days = (start: string, end: string): string => `${start}T00:00:00.000Z ${end}T00:00:00.000Z`;

describe("a billing cycle", () => {
	test.each([
		{
			name: "begins with the day of the start, not its hour",
			now: "2026-03-05T18:30:00Z",
			is: ["2026-03-05", "2026-04-05"],
		},
		{
			name: "holds a moment of that day before the start",
			now: "2026-03-05T00:00:00Z",
			is: ["2026-03-05", "2026-04-05"],
		},
		{
			name: "lasts until the last millisecond",
			now: "2026-04-04T23:59:59.999Z",
			is: ["2026-03-05", "2026-04-05"],
		},
		{
			name: "is followed by the next one at once",
			now: "2026-04-05T00:00:00Z",
			is: ["2026-04-05", "2026-05-05"],
		},
		{ name: "goes over the end of a year", now: "2026-12-31T12:00:00Z", is: ["2026-12-05", "2027-01-05"] },
		{
			name: "goes over the beginning of a year",
			now: "2027-01-01T00:00:00Z",
			is: ["2026-12-05", "2027-01-05"],
		},
		{
			name: "is the one of a clock that was set back",
			now: "2026-03-04T12:00:00Z",
			is: ["2026-02-05", "2026-03-05"],
		},
	])("$name", ({ now, is: [start = "", end = ""] }) => {
		expect(cycleAt("2026-03-05T17:45:12.345Z", now)).toBe(days(start, end));
	});

	test("counts days in UTC, whatever the machine's time zone is", () => {
		expect(cycleAt("2026-03-05T23:59:59.999-05:00", "2026-03-20T00:00:00Z")).toBe(
			days("2026-03-06", "2026-04-06"),
		);
	});
});

describe("a start at the end of a month", () => {
	test.each([
		{ from: "2027-01-31", now: "2027-02-27", is: ["2027-01-31", "2027-02-28"] },
		{ from: "2027-01-31", now: "2027-02-28", is: ["2027-02-28", "2027-03-31"] },
		{ from: "2027-01-31", now: "2027-03-30", is: ["2027-02-28", "2027-03-31"] },
		{ from: "2027-01-31", now: "2027-03-31", is: ["2027-03-31", "2027-04-30"] },
		{ from: "2027-01-31", now: "2027-04-30", is: ["2027-04-30", "2027-05-31"] },
		{ from: "2027-01-31", now: "2028-02-29", is: ["2028-02-29", "2028-03-31"] },
		{ from: "2027-01-31", now: "2028-02-28", is: ["2028-01-31", "2028-02-29"] },
		{ from: "2027-12-31", now: "2028-01-01", is: ["2027-12-31", "2028-01-31"] },
		{ from: "2027-01-30", now: "2027-03-01", is: ["2027-02-28", "2027-03-30"] },
		{ from: "2027-01-29", now: "2027-03-28", is: ["2027-02-28", "2027-03-29"] },
		{ from: "2028-02-29", now: "2028-03-29", is: ["2028-03-29", "2028-04-29"] },
		{ from: "2028-02-29", now: "2029-02-28", is: ["2029-02-28", "2029-03-29"] },
		{ from: "2028-02-29", now: "2032-02-29", is: ["2032-02-29", "2032-03-29"] },
		{ from: "2099-12-31", now: "2100-02-28", is: ["2100-02-28", "2100-03-31"] },
	])("$from: $now lies in $is", ({ from, now, is: [start = "", end = ""] }) => {
		expect(cycleAt(`${from}T12:00:00Z`, `${now}T12:00:00Z`)).toBe(days(start, end));
	});
});

test("the cycles of any day of a leap year follow each other for eight years without a gap", () => {
	for (let day = 0; day < 366; day += 1) {
		const startedAt = Date.UTC(2028, 0, 1) + day * DAY_MS + 7 * HOUR_MS;
		const startDay = new Date(startedAt).getUTCDate();
		let { start, end } = billingCycle(startedAt, startedAt);
		expect(start).toBe(startedAt - 7 * HOUR_MS);
		for (let month = 0; month < 8 * 12; month += 1) {
			const begins = new Date(start);
			const lastDay = new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1, 0)).getUTCDate();
			expect(begins.getUTCDate()).toBe(Math.min(startDay, lastDay));
			expect(start % DAY_MS).toBe(0);
			for (const now of [start, start + 1, start + 15 * DAY_MS, end - 1])
				expect(billingCycle(startedAt, now)).toEqual({ start, end });
			const following = billingCycle(startedAt, end);
			expect(following.start).toBe(end);
			({ start, end } = following);
		}
		expect(new Date(start).getUTCFullYear()).toBe(2036);
	}
});
