/** What the service of the contract tests has to offer: plans, images, locations, residential connections. */
import { setTimeout as delay } from "node:timers/promises";
import type { Feature, Plan } from "../../src/accounts/plan.ts";
import type { ImageSettings } from "../../src/catalog/images.ts";
import type { Location, Residential } from "../../src/catalog/locations.ts";

/** Part of every proxy URL of the operator; no answer and no log line may hold it. */
export const OPERATOR_SECRET = "0perat0rs-s3cret";

const everyFeature: readonly Feature[] = [
	"programmatic_access",
	"locations",
	"own_proxy",
	"residential",
	"restricted_images",
	"analysis",
];

/** A plan with 3 slots, API access and no limits, but for what the test says. */
export function aPlan(id: string, differences: Partial<Plan> = {}): Plan {
	return {
		id,
		name: `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`,
		runningSessionLimit: 3,
		cycleSessionLimit: null,
		runtimeMinutes: null,
		residentialMb: null,
		features: ["programmatic_access"],
		...differences,
	};
}

export const plans: readonly Plan[] = [
	aPlan("team"),
	aPlan("wide", { runningSessionLimit: 300 }),
	aPlan("free", { runningSessionLimit: 1, features: [] }),
	aPlan("full", { runningSessionLimit: 300, features: everyFeature }),
	aPlan("five", { cycleSessionLimit: 5 }),
	aPlan("hour", { runtimeMinutes: 60 }),
	aPlan("metered", { residentialMb: 2, features: everyFeature }),
	aPlan("pack", { runningSessionLimit: 0, residentialMb: 500, features: ["residential"] }),
];

const image: ImageSettings = {
	id: "chrome",
	name: "Chrome",
	picture: undefined,
	executable: "/bin/sh",
	flags: ["--flag-of-the-operator"],
	enabled: true,
	supportsProgrammatic: true,
	supportsAnalysis: false,
	requiresFeatureRestrictedImages: false,
};

export const images: readonly ImageSettings[] = [
	image,
	{
		...image,
		id: "second",
		name: "Second",
		picture: "https://pictures.example/second.png",
		supportsAnalysis: true,
	},
	{ ...image, id: "off", name: "Off", enabled: false },
	{ ...image, id: "missing", name: "Missing", executable: "/nowhere/chrome" },
	{
		...image,
		id: "by-hand",
		name: "By hand",
		supportsProgrammatic: false,
		requiresFeatureRestrictedImages: true,
	},
	{ ...image, id: "restricted", name: "Restricted", requiresFeatureRestrictedImages: true },
];

const proxyAt = (host: string) => `http://operator:${OPERATOR_SECRET}@${host}:3128`;

export const locations: readonly Location[] = [
	{
		code: "de",
		name: "Germany",
		default: "de-fra",
		cities: [
			{ code: "de-ber", location: "Berlin", proxy: proxyAt("ber.operator.example") },
			{ code: "de-fra", location: "Frankfurt", proxy: proxyAt("fra.operator.example") },
		],
	},
	{
		code: "us",
		name: "United States",
		default: "us-nyc",
		cities: [{ code: "us-nyc", location: "New York", proxy: proxyAt("nyc.operator.example") }],
	},
];

export function residentialOf(countries: readonly string[] | null): Residential {
	return {
		proxy: `http://operator-{country}-{session}:${OPERATOR_SECRET}@residential.operator.example:7000`,
		countries,
	};
}

const SLOW_MS = 150;

const addresses = new Map([
	["proxy.example", ["93.184.216.34"]],
	["slow.example", ["93.184.216.34"]],
	["internal.example", ["10.0.0.7"]],
	["rebinding.example", ["93.184.216.34", "127.0.0.1"]],
]);

/** Names of proxies, without asking anybody; every other one is unknown. Starts that look up slow.example overlap. */
export async function resolveProxy(host: string): Promise<string[]> {
	if (host === "slow.example") await delay(SLOW_MS);
	const found = addresses.get(host);
	if (found === undefined) throw new Error(`${host} cannot be found`);
	return found;
}
