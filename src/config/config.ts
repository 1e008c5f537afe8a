/** The configuration as the rest of the daemon sees it, built from a file that has passed every check. */
import { formatHostPort, parseHostPort, parseNetwork, parseTarget } from "./addresses.ts";
import type { Folders } from "./folders.ts";
import type { features, RawConfig } from "./schema.ts";
import { parseMemorySize, parsePositiveDuration, parsePublicUrl } from "./values.ts";

export type Feature = (typeof features)[number];

export interface ServerConfig {
	/** Without brackets. */
	readonly host: string;
	/** 0: the system chooses. */
	readonly port: number;
	/** Origin and path without trailing slash. Not configured while `port` is 0, it ends with ":0". */
	readonly publicUrl: string;
	readonly dataDir: string;
	readonly runDir: string;
	/** Normalized addresses and networks. */
	readonly trustedProxies: readonly string[];
	readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

export interface LimitsConfig {
	readonly requestsPerSecond: number;
	readonly burst: number;
	readonly startsPerMinute: number;
	readonly startsPerHour: number;
	readonly startsPerDay: number;
}

export interface SessionsConfig {
	readonly idleTimeoutMs: number;
	readonly lifetimeMs: number;
	readonly startTimeoutMs: number;
	readonly orphanTimeoutMs: number;
	readonly spares: number;
	readonly isolation: "cage" | "none";
	readonly memoryMaxBytes: number | undefined;
	readonly sandbox: boolean;
	/** The real uids that a root daemon gives to sessions, one each: `uidCount` of them from `firstUid`. */
	readonly firstUid: number;
	readonly uidCount: number;
}

export interface EgressConfig {
	/** "10.0.0.0/8", "10.0.0.7", "10.0.0.7:80", "fd00::1", "[fd00::1]:80", "printer.lan:631"; names in lower case. */
	readonly allow: readonly string[];
}

export interface ImageConfig {
	readonly id: string;
	readonly name: string;
	readonly picture: string | undefined;
	/** "auto" or an absolute path. */
	readonly executable: string;
	readonly flags: readonly string[];
	readonly enabled: boolean;
	readonly supportsProgrammatic: boolean;
	readonly supportsAnalysis: boolean;
	readonly requiresFeatureRestrictedImages: boolean;
}

/** A limit of null is none. */
export interface PlanConfig {
	readonly id: string;
	readonly name: string;
	readonly runningSessionLimit: number;
	readonly cycleSessionLimit: number | null;
	readonly runtimeMinutes: number | null;
	readonly residentialMb: number | null;
	readonly features: readonly Feature[];
}

export interface LocationConfig {
	readonly code: string;
	readonly name: string;
	/** The code of the city that the bare country stands for. */
	readonly default: string;
	readonly cities: readonly { readonly code: string; readonly location: string; readonly proxy: string }[];
}

export interface ResidentialConfig {
	/** A proxy URL in which {country} and {session} are to be filled in. */
	readonly proxy: string;
	/** null: every country. */
	readonly countries: readonly string[] | null;
}

/** Deep-frozen. Durations in milliseconds, sizes in bytes. */
export interface Config {
	readonly server: ServerConfig;
	readonly limits: LimitsConfig;
	readonly sessions: SessionsConfig;
	readonly egress: EgressConfig;
	readonly images: readonly ImageConfig[];
	readonly plans: readonly PlanConfig[];
	readonly locations: readonly LocationConfig[];
	readonly residential: ResidentialConfig | undefined;
}

/** What of the configuration depends on where it was found. */
export interface Places extends Folders {
	readonly tls: ServerConfig["tls"];
}

function read<T>(parse: (text: string) => T | undefined, text: string): T {
	const value = parse(text);
	if (value === undefined) throw new Error("a value has passed the schema but not its own parser");
	return value;
}

function distinct<T>(values: readonly T[]): T[] {
	return [...new Set(values)];
}

function serverConfig(raw: RawConfig["server"], { tls, dataDir, runDir }: Places): ServerConfig {
	const listen = read(parseHostPort, raw.listen);
	const publicUrl = raw.public_url ?? `${tls === undefined ? "http" : "https"}://${formatHostPort(listen)}`;
	return {
		...listen,
		publicUrl: read(parsePublicUrl, publicUrl),
		dataDir,
		runDir,
		trustedProxies: distinct(raw.trusted_proxies.map((proxy) => read(parseNetwork, proxy))),
		tls,
	};
}

function limitsConfig(raw: RawConfig["limits"]): LimitsConfig {
	return {
		requestsPerSecond: raw.requests_per_second,
		burst: raw.burst,
		startsPerMinute: raw.starts_per_minute,
		startsPerHour: raw.starts_per_hour,
		startsPerDay: raw.starts_per_day,
	};
}

function sessionsConfig(raw: RawConfig["sessions"]): SessionsConfig {
	const { memory_max: memoryMax } = raw;
	return {
		idleTimeoutMs: read(parsePositiveDuration, raw.idle_timeout),
		lifetimeMs: read(parsePositiveDuration, raw.lifetime),
		startTimeoutMs: read(parsePositiveDuration, raw.start_timeout),
		orphanTimeoutMs: read(parsePositiveDuration, raw.orphan_timeout),
		spares: raw.spares,
		isolation: raw.isolation,
		memoryMaxBytes: typeof memoryMax === "string" ? read(parseMemorySize, memoryMax) : memoryMax,
		sandbox: raw.sandbox,
		firstUid: raw.first_uid,
		uidCount: raw.uid_count,
	};
}

function imageConfig(raw: RawConfig["images"][number]): ImageConfig {
	return {
		id: raw.id,
		name: raw.name,
		picture: raw.picture,
		executable: raw.executable,
		flags: raw.flags,
		enabled: raw.enabled,
		supportsProgrammatic: raw.supports_programmatic,
		supportsAnalysis: raw.supports_analysis,
		requiresFeatureRestrictedImages: raw.requires_feature_restricted_images,
	};
}

function planConfig(raw: RawConfig["plans"][number]): PlanConfig {
	return {
		id: raw.id,
		name: raw.name,
		runningSessionLimit: raw.running_session_limit,
		cycleSessionLimit: raw.cycle_session_limit ?? null,
		runtimeMinutes: raw.runtime_minutes ?? null,
		residentialMb: raw.residential_mb ?? null,
		features: distinct(raw.features),
	};
}

function locationConfig(raw: RawConfig["locations"][number]): LocationConfig {
	const [first] = raw.cities;
	return {
		code: raw.code,
		name: raw.name,
		default: raw.default ?? first?.code ?? raw.code,
		cities: raw.cities.map(({ code, location, proxy }) => ({ code, location, proxy })),
	};
}

function residentialConfig(raw: RawConfig["residential"]): ResidentialConfig | undefined {
	if (raw === undefined) return undefined;
	return { proxy: raw.proxy, countries: raw.countries === undefined ? null : distinct(raw.countries) };
}

export function toConfig(raw: RawConfig, places: Places): Config {
	return {
		server: serverConfig(raw.server, places),
		limits: limitsConfig(raw.limits),
		sessions: sessionsConfig(raw.sessions),
		egress: { allow: distinct(raw.egress.allow.map((target) => read(parseTarget, target))) },
		images: raw.images.map(imageConfig),
		plans: raw.plans.map(planConfig),
		locations: raw.locations.map(locationConfig),
		residential: residentialConfig(raw.residential),
	};
}
