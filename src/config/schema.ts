/** The shape of the TOML file with its defaults: the one place where a key is named. What spans keys is in relations. */
import { KindGuard, type Static, type TSchema, Type } from "@sinclair/typebox";
import { parseHostPort, parseNetwork, parseTarget } from "./addresses.ts";
import { expectedChromeFlag, parseChromeFlag } from "./chrome-flag.ts";
import {
	amount,
	count,
	country,
	duration,
	file,
	flag,
	folder,
	identifier,
	label,
	parsed,
	text,
} from "./fields.ts";
import {
	leastMemoryBytes,
	parseMemorySize,
	parseProxyTemplate,
	parseProxyUrl,
	parsePublicUrl,
} from "./values.ts";

export const features = [
	"programmatic_access",
	"locations",
	"own_proxy",
	"residential",
	"restricted_images",
	"analysis",
] as const;

const closed = { additionalProperties: false, expected: "a table" } as const;
/** A table that is there, with its defaults, even when the file has none. */
const section = { ...closed, default: {} } as const;
const featureWords = `one of ${features.map((word) => `"${word}"`).join(", ")}`;
const memorySize = 'a size of at least 128 MB, such as "2GB", or a number of bytes';
const proxyForm = "of the form http://, https://, socks4:// or socks5://[user:password@]host:port";
const encoding = "(percent-encode special characters of the password)";

const feature = Type.Union(
	features.map((word) => Type.Literal(word)),
	{ expected: featureWords },
);

const server = Type.Object(
	{
		listen: parsed("listen", parseHostPort, {
			default: "127.0.0.1:7788",
			expected:
				'an address with a port, such as "127.0.0.1:7788", "[::1]:7788" or, for every address of this machine, "0.0.0.0:7788"',
		}),
		public_url: Type.Optional(
			parsed("public-url", parsePublicUrl, {
				expected: 'the http or https address that clients use, such as "https://barrel.example"',
				secret: true,
			}),
		),
		data_dir: Type.Optional(folder),
		run_dir: Type.Optional(folder),
		trusted_proxies: Type.Array(
			parsed("network", parseNetwork, { expected: 'an IP address or a network such as "10.0.0.0/8"' }),
			{ default: [], expected: "a list of IP addresses and networks" },
		),
		tls_cert: Type.Optional(file),
		tls_key: Type.Optional(file),
	},
	section,
);

const limits = Type.Object(
	{
		requests_per_second: Type.Number({ exclusiveMinimum: 0, default: 2, expected: "a number above 0" }),
		burst: count(1, 20),
		starts_per_minute: count(1, 30),
		starts_per_hour: count(1, 300),
		starts_per_day: count(1, 2000),
	},
	section,
);

const sessions = Type.Object(
	{
		idle_timeout: duration("5m"),
		lifetime: duration("18h"),
		start_timeout: duration("30s"),
		orphan_timeout: duration("2m"),
		spares: count(0, 1),
		isolation: Type.Union([Type.Literal("cage"), Type.Literal("none")], {
			default: "cage",
			expected: '"cage" or "none"',
		}),
		memory_max: Type.Optional(
			Type.Union(
				[
					Type.Integer({ minimum: leastMemoryBytes }),
					parsed("memory-size", parseMemorySize, { expected: memorySize }),
				],
				{ expected: memorySize },
			),
		),
		sandbox: flag(true),
		first_uid: count(1000, 20_000),
		uid_count: count(1, 10_000),
	},
	section,
);

const egress = Type.Object(
	{
		allow: Type.Array(
			parsed("target", parseTarget, {
				expected:
					'a network, an IP address or host:port, such as "10.0.0.0/8", "10.0.0.7", "printer.lan:631"',
			}),
			{ default: [], expected: "a list of networks, IP addresses and host:port" },
		),
	},
	section,
);

const image = Type.Object(
	{
		id: identifier("chrome"),
		name: label,
		picture: Type.Optional(text({ expected: "the address of a picture" })),
		executable: text({ pattern: "^(auto$|/.)", default: "auto", expected: '"auto" or an absolute path' }),
		flags: Type.Array(
			parsed("chrome-flag", parseChromeFlag, { expected: expectedChromeFlag, secret: true }),
			{
				default: [],
				expected: "a list of Chrome flags",
			},
		),
		enabled: flag(true),
		supports_programmatic: flag(true),
		supports_analysis: flag(false),
		requires_feature_restricted_images: flag(false),
	},
	closed,
);

const plan = Type.Object(
	{
		id: identifier("team"),
		name: label,
		running_session_limit: count(0, 3),
		cycle_session_limit: Type.Optional(count(0)),
		runtime_minutes: Type.Optional(amount()),
		residential_mb: Type.Optional(amount()),
		features: Type.Array(feature, { default: [...features], expected: `a list of ${featureWords}` }),
	},
	closed,
);

const city = Type.Object(
	{
		code: text({
			pattern: "^[a-z]{2}(-[a-z0-9]+)+$",
			expected: 'the country and a city in lower case, such as "de-berlin"',
		}),
		location: label,
		proxy: parsed("proxy", parseProxyUrl, { expected: `${proxyForm} ${encoding}`, secret: true }),
	},
	closed,
);

const location = Type.Object(
	{
		code: country,
		name: label,
		default: Type.Optional(text({ expected: "the code of one of its cities" })),
		cities: Type.Array(city, { minItems: 1, expected: "at least one [[locations.cities]] table" }),
	},
	closed,
);

const residential = Type.Object(
	{
		proxy: parsed("proxy-template", parseProxyTemplate, {
			expected: `${proxyForm}, in which {country} and {session} are filled in ${encoding}`,
			secret: true,
		}),
		countries: Type.Optional(
			Type.Array(country, { minItems: 1, expected: "a list of countries; leave it out for every country" }),
		),
	},
	closed,
);

const builtInPlans = [
	{ id: "analyst", name: "Analyst" },
	{ id: "team", name: "Team" },
] as const;

export const configSchema = Type.Object(
	{
		server,
		limits,
		sessions,
		egress,
		images: Type.Array(image, { default: [], expected: "a list of [[images]] tables" }),
		plans: Type.Array(plan, { default: builtInPlans, expected: "a list of [[plans]] tables" }),
		locations: Type.Array(location, { default: [], expected: "a list of [[locations]] tables" }),
		residential: Type.Optional(residential),
	},
	closed,
);

/** The file after the defaults were filled in: keys and units as they are written in TOML. */
export type RawConfig = Static<typeof configSchema>;

function keysBelow(schema: TSchema, prefix: string): string[] {
	if (KindGuard.IsArray(schema)) return keysBelow(schema.items, prefix);
	if (!KindGuard.IsObject(schema)) return [prefix];
	return Object.entries(schema.properties).flatMap(([key, property]) =>
		keysBelow(property, prefix === "" ? key : `${prefix}.${key}`),
	);
}

/** Every key that a file may set, dotted: "server.listen", "locations.cities.proxy". */
export const settings: readonly string[] = keysBelow(configSchema, "");

/** The settings that are one value in one table, which is what an environment variable can replace. */
export const singleSettings: readonly string[] = Object.entries(configSchema.properties).flatMap(
	([key, schema]) => (KindGuard.IsObject(schema) ? keysBelow(schema, key) : []),
);
