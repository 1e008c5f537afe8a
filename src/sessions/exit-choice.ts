/** From what a start call wishes for to the exit that the session gets (spec 4.1). */
import type { Feature } from "../accounts/plan.ts";
import { OperatorError, Refusal } from "../base/errors.ts";
import { findCity, type Location, type Residential, reachesCountry } from "../catalog/locations.ts";
import { type Exit, fillTemplate, parseUpstream, type Upstream } from "../egress/exit.ts";
import type { ExitWish } from "./start-request.ts";

export interface Exits {
	locations: readonly Location[];
	residential: Residential | undefined;
}

const featureOfExit = { location: "locations", residential: "residential", own_proxy: "own_proxy" } as const;

/** What the plan has to include for this way out. */
export function featuresOf(wish: ExitWish): Feature[] {
	return wish.kind === "direct" ? [] : [featureOfExit[wish.kind]];
}

/** The country code as the session shows it. */
export function countryOf(wish: ExitWish): string | null {
	return wish.kind === "location" || wish.kind === "residential" ? wish.country : null;
}

function upstreamOf(url: string): Upstream {
	const upstream = parseUpstream(url);
	if (upstream === undefined) throw new Error("a configured proxy cannot be used");
	return upstream;
}

/** Throws an OperatorError that names the first configured proxy that cannot be used, without showing it. */
export function checkExits({ locations, residential }: Exits): void {
	for (const city of locations.flatMap(({ cities }) => cities))
		if (parseUpstream(city.proxy) === undefined)
			throw new OperatorError(
				`locations.cities: the proxy of ${city.code} cannot be used; check its host and credentials`,
			);
	const filled = residential && fillTemplate(residential.proxy, { country: "de", session: "session" });
	if (filled !== undefined && parseUpstream(filled) === undefined)
		throw new OperatorError("residential.proxy cannot be used; check its host and credentials");
}

/** Throws a Refusal when this service has no such way out. */
export function chooseExit(wish: ExitWish, sessionId: string, { locations, residential }: Exits): Exit {
	const code = "invalid_arguments";
	switch (wish.kind) {
		case "direct":
			return wish;
		case "own_proxy":
			return wish;
		case "location": {
			const city = findCity(locations, wish.country);
			if (city === undefined) throw new Refusal("country-unknown", { country: wish.country }, { code });
			return { kind: "location", upstream: upstreamOf(city.proxy) };
		}
		case "residential": {
			if (residential === undefined) throw new Refusal("residential-not-configured", {}, { code });
			const country = wish.country ?? residential.countries?.[0] ?? "";
			if (wish.country !== null && !reachesCountry(residential, wish.country))
				throw new Refusal("residential-country-unknown", { country: wish.country }, { code });
			return {
				kind: "residential",
				upstream: upstreamOf(fillTemplate(residential.proxy, { country, session: sessionId })),
			};
		}
	}
}
