import { describe, expect, test } from "vitest";
import { languageOf } from "../../../src/api/language.ts";

function ask(...lines: string[]) {
	const headers = new Headers();
	for (const line of lines) headers.append("accept-language", line);
	return languageOf(new Request("http://localhost/", { headers }));
}

describe("Accept-Language", () => {
	test.each([
		["de", "de"],
		["fr", "fr"],
		["es", "es"],
		["en", "en"],
		["DE", "de"],
		["de-AT", "de"],
		["es-419", "es"],
		["fr-CA-x-private", "fr"],
		["de-AT, de;q=0.9, en;q=0.8", "de"],
		["en-GB, de;q=0.9, en;q=0.8", "en"],
		["es;q=0.3, fr;q=0.7, de;q=0.5", "fr"],
		["it, pt;q=0.9, fr;q=0.1", "fr"],
		["de;q=0, fr;q=0.5", "fr"],
		["ja, *;q=0.5", "en"],
		["de, *;q=0.5", "de"],
		["*, de;q=0.5", "en"],
		[" , de ,,", "de"],
	])("%j is %s", (header, expected) => {
		expect(ask(header)).toBe(expected);
	});

	test.each([
		"",
		"*",
		"de;q=0",
		"*;q=0",
		"it, ja",
		"deutsch",
		"d",
		";;,=;q",
		"de;q=x",
		"1",
		"-de",
		"q=1",
		"de_AT",
	])("%j is English", (header) => {
		expect(ask(header)).toBe("en");
	});

	test("that is missing is English", () => {
		expect(ask()).toBe("en");
	});

	test("of several lines is read as one", () => {
		expect(ask("it", "fr;q=0.5", "de;q=0.9")).toBe("de");
	});

	test("of an absurd length is read", () => {
		expect(ask(`${"xx-YY,".repeat(20_000)}de`)).toBe("de");
	});
});
