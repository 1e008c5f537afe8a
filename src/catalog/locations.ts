/** Where sessions can exit (spec 2.5, 4.1): countries with cities, and residential countries. The operator's proxies stay inside. */

export interface City {
	code: string;
	location: string;
	/** The operator's upstream; never shown. */
	proxy: string;
}

export interface Location {
	/** Country code. */
	code: string;
	name: string;
	/** The city that the bare country code stands for. */
	default: string;
	cities: readonly City[];
}

export interface Residential {
	/** The operator's upstream with {country} and {session} to be filled in; never shown. */
	proxy: string;
	/** Country codes that can be reached; null for every country. */
	countries: readonly string[] | null;
}

/** The city for a city code, or for a country code its default city. */
export function findCity(locations: readonly Location[], code: string): City | undefined {
	for (const location of locations) {
		const cityCode = location.code === code ? location.default : code;
		const city = location.cities.find((candidate) => candidate.code === cityCode);
		if (city !== undefined) return city;
	}
	return undefined;
}

/** Whether sessions can exit residentially in this country. */
export function reachesCountry({ countries }: Residential, code: string): boolean {
	return countries === null ? /^[a-z]{2}$/.test(code) : countries.includes(code);
}
