import { describe, expect, test } from "vitest";
import type { Exit } from "../../../src/egress/exit.ts";
import { chooseExit, countryOf, type Exits, featuresOf } from "../../../src/sessions/exit-choice.ts";
import { type ExitWish, parseStartRequest } from "../../../src/sessions/start-request.ts";
import { refusalOf } from "../../support/refusal-of.ts";
import { exits } from "./starter-fixture.ts";

const sessionId = "brl-v-v7-00000000000000000001";
const proxy = "http://{country}_{session}:p@residential.example:1003";
const everywhere: Exits = { locations: [], residential: { proxy, countries: null } };
const nowhere: Exits = { locations: [], residential: undefined };

const wishOf = (body: object): ExitWish => parseStartRequest(body).exit;
const choose = (body: object, from: Exits = exits): Exit => chooseExit(wishOf(body), sessionId, from);

/** The proxy as a URL without its password, and who logs in there. */
function wayOf(exit: Exit): (string | undefined)[] {
	if (exit.kind === "direct") return ["direct"];
	const { upstream } = exit;
	return [exit.kind, String(upstream).replace("***@", ""), upstream.credentials()?.user];
}

test("no wish is the way out of this machine", () => {
	expect(choose({})).toEqual({ kind: "direct" });
	expect(choose({}, nowhere)).toEqual({ kind: "direct" });
});

describe("a location", () => {
	test.each([
		["a country, as its default city", "de", "socks5://munich.example:1002", "u"],
		["the default city", "de-munich", "socks5://munich.example:1002", "u"],
		["another city", "de-berlin", "http://berlin.example:1001", undefined],
	])("can be %s", (_, country, url, user) => {
		expect(wayOf(choose({ country }))).toEqual(["location", url, user]);
	});

	test.each(["fr", "de-hamburg", "us", "xx"])("cannot be %s", (country) => {
		expect(refusalOf(() => choose({ country }))).toMatchObject({
			key: "country-unknown",
			status: "denied",
			code: "invalid_arguments",
			details: { country },
		});
	});

	test("cannot be any when none is configured", () => {
		expect(refusalOf(() => choose({ country: "de" }, nowhere)).key).toBe("country-unknown");
	});
});

describe("a residential exit", () => {
	const egress = "residential";
	const url = "http://residential.example:1003";

	test("is in the country that was asked for, with an address of the session's own", () => {
		expect(wayOf(choose({ egress, country: "fr" }))).toEqual([egress, url, `user-fr-${sessionId}`]);
		const other = chooseExit(wishOf({ egress, country: "fr" }), "brl-v-v7-2", exits);
		expect(wayOf(other)).toEqual([egress, url, "user-fr-brl-v-v7-2"]);
	});

	test("without a country is in the first of the countries", () => {
		expect(wayOf(choose({ egress }))).toEqual([egress, url, `user-us-${sessionId}`]);
	});

	test("without a country names none when every country can be reached", () => {
		expect(wayOf(choose({ egress }, everywhere))).toEqual([egress, url, `_${sessionId}`]);
	});

	test.each(["de", "jp"])("can be in %s when every country can be reached", (country) => {
		expect(wayOf(choose({ egress, country }, everywhere))).toEqual([egress, url, `${country}_${sessionId}`]);
	});

	test("may have a proxy that leaves nothing open", () => {
		const fixed: Exits = {
			locations: [],
			residential: { proxy: "socks5://one.example:1080", countries: null },
		};
		expect(wayOf(choose({ egress }, fixed))).toEqual([egress, "socks5://one.example:1080", undefined]);
	});

	test.each([
		["a country that is not among those", "de", exits],
		["a city of a country that is", "us-dallas", exits],
		["a city where every country can be reached", "de-berlin", everywhere],
	])("cannot be in %s", (_, country, from) => {
		expect(refusalOf(() => choose({ egress, country }, from))).toMatchObject({
			key: "residential-country-unknown",
			status: "denied",
			code: "invalid_arguments",
			details: { country },
		});
	});

	test.each([{ egress }, { egress, country: "us" }])(
		"of %j cannot be had when none is configured",
		(body) => {
			expect(refusalOf(() => choose(body, nowhere))).toMatchObject({
				key: "residential-not-configured",
				status: "denied",
				code: "invalid_arguments",
			});
		},
	);
});

test("an own proxy is taken as it is", () => {
	const exit = choose({ proxy: "socks5://me:secret@proxy.example:1080" }, nowhere);
	expect(wayOf(exit)).toEqual(["own_proxy", "socks5://proxy.example:1080", "me"]);
});

test.each([
	{ body: {}, features: [], country: null },
	{ body: { country: "de-berlin" }, features: ["locations"], country: "de-berlin" },
	{ body: { egress: "residential" }, features: ["residential"], country: null },
	{ body: { egress: "residential", country: "us" }, features: ["residential"], country: "us" },
	{ body: { proxy: "http://proxy.example:1" }, features: ["own_proxy"], country: null },
])("$body needs $features and shows the country $country", ({ body, features, country }) => {
	expect(featuresOf(wishOf(body))).toEqual(features);
	expect(countryOf(wishOf(body))).toBe(country);
});
