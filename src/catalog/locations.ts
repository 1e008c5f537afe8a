/** Where sessions can exit, as the catalog shows it (spec 2.5): never with the operator's proxies. */

export interface Location {
	/** Country code. */
	code: string;
	name: string;
	/** The city that the bare country code stands for. */
	defaultCity: string;
	cities: readonly { code: string; location: string }[];
}

export interface ResidentialCatalog {
	configured: boolean;
	/** Country codes that can be reached; null for every country. */
	countries: readonly string[] | null;
}
