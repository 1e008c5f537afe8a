import { expect, test } from "vitest";
import { findCity, reachesCountry } from "../../../src/catalog/locations.ts";
import { exits } from "../sessions/starter-fixture.ts";

test.each([
	["de", "de-munich"],
	["de-munich", "de-munich"],
	["de-berlin", "de-berlin"],
	["de-hamburg", undefined],
	["fr", undefined],
	["", undefined],
	["DE", undefined],
])("%j stands for the city %s", (code, city) => {
	expect(findCity(exits.locations, code)?.code).toBe(city);
});

test.each([
	{ countries: ["us", "fr"], code: "us", isReached: true },
	{ countries: ["us", "fr"], code: "de", isReached: false },
	{ countries: ["us", "fr"], code: "us-dallas", isReached: false },
	{ countries: [], code: "us", isReached: false },
	{ countries: null, code: "us", isReached: true },
	{ countries: null, code: "us-dallas", isReached: false },
	{ countries: null, code: "", isReached: false },
])("residential $countries reaches $code: $isReached", ({ countries, code, isReached }) => {
	expect(reachesCountry({ proxy: "http://proxy.example:1", countries }, code)).toBe(isReached);
});
