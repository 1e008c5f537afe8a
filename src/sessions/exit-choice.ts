/** From what a start call wishes for to the exit that the session gets (spec 4.1). */
import type { Feature } from "../accounts/plan.ts";
import { Refusal } from "../base/errors.ts";
import { findCity, type Location, type Residential, reachesCountry } from "../catalog/locations.ts";
import { type Exit, fillTemplate, parseUpstream } from "../egress/exit.ts";
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

function upstreamOf(url: string) {
	const upstream = parseUpstream(url);
	if (upstream === undefined) throw new Error("a configured proxy cannot be used");
	return upstream;
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
