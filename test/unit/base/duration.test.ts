import { describe, expect, test } from "vitest";
import { parseDuration } from "../../../src/base/duration.ts";

describe("parseDuration", () => {
	test.each([
		["0s", 0],
		["250ms", 250],
		["3s", 3_000],
		["5m", 300_000],
		["18h", 64_800_000],
		["30d", 2_592_000_000],
		["1.5m", 90_000],
		["0.5ms", 1],
		[" 5m ", 300_000],
	])("reads %j as %d ms", (text, ms) => {
		expect(parseDuration(text)).toBe(ms);
	});

	test.each([
		"",
		"5",
		"m",
		"5 m",
		"5M",
		"-5m",
		"+5m",
		"5m30s",
		".5m",
		"5.m",
		"1e3s",
		"5w",
		"5m\nx",
		"five minutes",
		"٥m",
	])("takes %j for no duration", (text) => {
		expect(parseDuration(text)).toBeUndefined();
	});
});
