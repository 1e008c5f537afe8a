import { heapStats } from "bun:jsc";
import { describe, expect, test } from "vitest";
import { RequestRate } from "../../../src/http/request-rate.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function aRate(requestsPerSecond = 2, burst = 20) {
	const clock = new FakeClock();
	return { clock, rate: new RequestRate({ requestsPerSecond, burst, clock }) };
}

function takeAll(rate: RequestRate, key: string, attempts = 1_000): number {
	let taken = 0;
	for (let attempt = 0; attempt < attempts; attempt++) if (rate.take(key)) taken++;
	return taken;
}

/** Distinct IPv4 addresses, from 1.0.0.0 on. */
const address = (index: number) => `1.${index >>> 16}.${(index >>> 8) & 255}.${index & 255}`;

describe("a client", () => {
	test.each([
		{ requestsPerSecond: 2, burst: 20 },
		{ requestsPerSecond: 0.1, burst: 1 },
		{ requestsPerSecond: 3, burst: 7 },
		{ requestsPerSecond: 1_000, burst: 333 },
	])("may send a burst, then so many per second: %o", ({ requestsPerSecond, burst }) => {
		const { clock, rate } = aRate(requestsPerSecond, burst);
		expect(takeAll(rate, "a")).toBe(burst);
		let taken = 0;
		for (let ms = 1; ms <= 30_000; ms++) {
			clock.advance(1);
			if (rate.take("a")) taken++;
			expect(taken).toBe(Math.floor((ms * requestsPerSecond) / 1_000));
		}
	});

	test("has a full bucket again after burst / requestsPerSecond seconds, and never more", () => {
		const { clock, rate } = aRate();
		takeAll(rate, "a");
		clock.advance(9_500);
		expect(takeAll(rate, "a")).toBe(19);
		clock.advance(86_400_000);
		expect(takeAll(rate, "a")).toBe(20);
	});

	test("loses nothing by requests that are refused", () => {
		const { clock, rate } = aRate();
		takeAll(rate, "a", 100_000);
		clock.advance(500);
		expect(rate.take("a")).toBe(true);
	});

	test("does not pay for another", () => {
		const { rate } = aRate();
		takeAll(rate, "a");
		expect(takeAll(rate, "b")).toBe(20);
	});

	test("is not shut out by a clock that was set back", () => {
		const { clock, rate } = aRate();
		takeAll(rate, "a");
		clock.advance(-3_600_000);
		expect(rate.take("a")).toBe(false);
		clock.advance(500);
		expect(rate.take("a")).toBe(true);
	});
});

describe("a million addresses", () => {
	test("leave memory bounded", () => {
		const { rate } = aRate();
		const used = () => {
			Bun.gc(true);
			return heapStats().heapSize;
		};
		for (let index = 0; index < 200_000; index++) rate.take(address(index));
		const full = used();
		for (let index = 200_000; index < 1_200_000; index++) rate.take(address(index));
		const grown = used() - full;
		// A rate that nobody uses again would have been collected before it was measured.
		expect(rate.take("afterwards")).toBe(true);
		expect(grown).toBeLessThan(8_000_000);
	});

	test("do not make an offender forgotten who goes on", () => {
		const { rate } = aRate();
		takeAll(rate, "offender");
		let taken = 0;
		for (let index = 0; index < 1_000_000; index++) {
			rate.take(address(index));
			if (index % 100_000 === 0 && rate.take("offender")) taken++;
		}
		expect(taken).toBe(0);
	});

	test("are more than one /48 has to forget an offender who pauses", () => {
		const { rate } = aRate();
		takeAll(rate, "offender");
		for (let net = 0; net < 65_536; net++) rate.take(`2001:db8:1:${net.toString(16)}::/64`);
		expect(rate.take("offender")).toBe(false);
	});
});
