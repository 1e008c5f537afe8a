import { expect, test } from "vitest";
import { configOf, problemsOf } from "./fixture.ts";

const image = '[[images]]\nid = "chrome"\nname = "Chrome"\n';
const plan = '[[plans]]\nid = "solo"\nname = "Solo"\n';
const location = '[[locations]]\ncode = "de"\nname = "Germany"\n';

function city(code: string, proxy = "http://h:1"): string {
	return `[[locations.cities]]\ncode = "${code}"\nlocation = "${code}"\nproxy = "${proxy}"\n`;
}

test.each([
	['idle_timeout = "1.5m"', { idleTimeoutMs: 90_000 }],
	['memory_max = "2GB"', { memoryMaxBytes: 2_147_483_648 }],
	['memory_max = "1500 MiB"', { memoryMaxBytes: 1_572_864_000 }],
	["memory_max = 500_000_000", { memoryMaxBytes: 500_000_000 }],
	["spares = 0", { spares: 0 }],
])("sessions: %s", (line, expected) => {
	expect(configOf(`[sessions]\n${line}`).sessions).toMatchObject(expected);
});

const memory =
	'sessions.memory_max must be a size of at least 128 MB, such as "2GB", or a number of bytes, not';

test.each([
	['lifetime = "0s"', 'sessions.lifetime must be longer than zero and at most "365d", not "0s"'],
	['lifetime = "366d"', 'sessions.lifetime must be longer than zero and at most "365d", not "366d"'],
	['start_timeout = "5"', 'sessions.start_timeout must be a duration such as "5m", not "5"'],
	["orphan_timeout = 07:32:00", 'sessions.orphan_timeout must be a duration such as "5m", not a date'],
	["memory_max = 2", `${memory} 2`],
	['memory_max = "2G"', `${memory} "2G"`],
	['memory_max = "1MB"', `${memory} "1MB"`],
	['isolation = "container"', 'sessions.isolation must be "cage" or "none", not "container"'],
	['sandbox = "no"', 'sessions.sandbox must be true or false, not "no"'],
	["spares = 1.5", "sessions.spares must be a whole number, at least 0, not 1.5"],
	["spares = inf", "sessions.spares must be a whole number, at least 0, not Infinity"],
	["first_uid = 0", "sessions.first_uid must be a whole number, at least 1000, not 0"],
	[
		"uid_count = 50_000",
		"sessions.uid_count makes a range (20000 to 69999) with 65534 and 65535, which belong to nobody",
	],
	["uid_count = 4294967295", "sessions.uid_count goes beyond the last user id, 4294967294"],
	[
		"idleTimeout = 5",
		"sessions.idleTimeout is not a key that barrel knows; did you mean sessions.idle_timeout?",
	],
])("sessions: refuses %s", (line, problem) => {
	expect(problemsOf(`[sessions]\n${line}`)).toEqual([`config.toml:2: ${problem}`]);
});

test("egress targets are kept in one normal form", () => {
	const given = [
		"10.1.0.0/8",
		"192.168.1.5",
		"192.168.1.5:80",
		"[FD00::1]:443",
		"fd00::/8",
		"Printer.LAN.:631",
		"bücher.example:1",
	];
	expect(configOf(`[egress]\nallow = ${JSON.stringify(given)}`).egress.allow).toEqual([
		"10.0.0.0/8",
		"192.168.1.5",
		"192.168.1.5:80",
		"[fd00::1]:443",
		"fd00::/8",
		"printer.lan:631",
		"xn--bcher-kva.example:1",
	]);
});

test.each([
	"printer.lan",
	"[::1]",
	"a:0",
	"127.1:80",
	"0x7f.1:80",
	"１２７.1:80",
	"*.lan:80",
	"10.0.0.0/8:80",
	"http://a:1",
	"-a.lan:1",
	"*",
])("egress: refuses the target %s", (target) => {
	expect(problemsOf(`[egress]\nallow = ["${target}"]`)).toEqual([
		`config.toml:2: egress.allow (entry 1) must be a network, an IP address or host:port, such as "10.0.0.0/8", "10.0.0.7", "printer.lan:631", not "${target}"`,
	]);
});

test("an image needs an id and a name", () => {
	expect(configOf(image).images).toEqual([
		{
			id: "chrome",
			name: "Chrome",
			picture: undefined,
			executable: "auto",
			flags: [],
			enabled: true,
			supportsProgrammatic: true,
			supportsAnalysis: false,
			requiresFeatureRestrictedImages: false,
		},
	]);
});

test.each(["--disable-web-security", "--mute-audio", "--lang=de", "--enable-features=A,B"])(
	"allows the flag %s",
	(flag) => {
		expect(configOf(`${image}flags = ["${flag}"]`).images[0]?.flags).toEqual([flag]);
	},
);

test.each([
	["--no-sandbox", "no-sandbox"],
	["--NO-SANDBOX", "no-sandbox"],
	["--remote-debugging-port=1", "remote-debugging-port"],
	["--remote-debugging-pipe", "remote-debugging-pipe"],
	["--proxy-server=http://u:hunter2@h:1", "proxy-server"],
	["--proxy-bypass-list=*", "proxy-bypass-list"],
	["--no-proxy-server", "no-proxy-server"],
	["--user-data-dir=/x", "user-data-dir"],
	["--load-extension=/x", "load-extension"],
	["--host-resolver-rules=MAP * 127.0.0.1", "host-resolver-rules"],
	["--single-process", "single-process"],
])("refuses the flag %s", (flag, name) => {
	expect(problemsOf(`${image}flags = ["${flag}"]`)).toEqual([
		`config.toml:4: images.flags (entry 1) must be free of --${name}, which would break the isolation of sessions`,
	]);
});

test.each(["--", "-no-sandbox", "mute-audio", "--=x", "-- --no-sandbox"])("%j is no flag", (flag) => {
	expect(problemsOf(`${image}flags = ["${flag}"]`)).toEqual([
		'config.toml:4: images.flags (entry 1) must be a Chrome flag such as "--mute-audio"',
	]);
});

test("refuses a relative executable and a second image of the same id", () => {
	expect(problemsOf(`${image}executable = "chrome"`)).toEqual([
		'config.toml:4: images.executable must be "auto" or an absolute path, not "chrome"',
	]);
	expect(problemsOf(image + image)).toEqual([
		'config.toml:5: images.id must be unique: "chrome" stands before already',
	]);
});

test("a plan has three slots, every feature and no limits unless it says otherwise", () => {
	const [byDefault, limited] = configOf(
		`${plan}[[plans]]\nid = "pack"\nname = "Data pack"\nrunning_session_limit = 0\ncycle_session_limit = 5\nruntime_minutes = 0.5\nresidential_mb = 1.25\nfeatures = ["residential", "residential"]`,
	).plans;
	expect(byDefault).toMatchObject({ runningSessionLimit: 3, cycleSessionLimit: null, residentialMb: null });
	expect(byDefault?.features).toHaveLength(6);
	expect(limited).toEqual({
		id: "pack",
		name: "Data pack",
		runningSessionLimit: 0,
		cycleSessionLimit: 5,
		runtimeMinutes: 0.5,
		residentialMb: 1.25,
		features: ["residential"],
	});
});

test("refuses unknown features, negative limits and a second plan of the same id", () => {
	const words =
		'"programmatic_access", "locations", "own_proxy", "residential", "restricted_images", "analysis"';
	expect(problemsOf(`${plan}features = ["own_proxy", "proxy"]\nresidential_mb = -1`)).toEqual([
		`config.toml:4: plans.features (entry 2) must be one of ${words}, not "proxy"`,
		"config.toml:5: plans.residential_mb must be a number, at least 0, not -1",
	]);
	expect(problemsOf(plan + plan)).toEqual([
		'config.toml:5: plans.id must be unique: "solo" stands before already',
	]);
});

test("a location goes to its default city, by default the first", () => {
	const cities = city("de-berlin", "socks5://u:p@h:1080") + city("de-frankfurt-main");
	expect(configOf(location + cities).locations).toEqual([
		{
			code: "de",
			name: "Germany",
			default: "de-berlin",
			cities: [
				{ code: "de-berlin", location: "de-berlin", proxy: "socks5://u:p@h:1080" },
				{ code: "de-frankfurt-main", location: "de-frankfurt-main", proxy: "http://h:1" },
			],
		},
	]);
	expect(configOf(`${location}default = "de-frankfurt-main"\n${cities}`).locations[0]?.default).toBe(
		"de-frankfurt-main",
	);
});

test("refuses a location without cities, cities of another country, and codes that repeat", () => {
	expect(problemsOf(location)).toEqual([
		"config.toml:1: locations.cities is missing; it must be at least one [[locations.cities]] table",
	]);
	expect(problemsOf(location + city("fr-paris"))).toEqual([
		'config.toml:5: locations.cities.code must begin with its country, "de-", not "fr-paris"',
	]);
	expect(problemsOf(location + city("de-berlin") + city("de-berlin") + location + city("de-bonn"))).toEqual([
		'config.toml:9: locations.cities.code must be unique: "de-berlin" stands before already',
		'config.toml:13: locations.code must be unique: "de" stands before already',
	]);
});

test("residential takes a template, and every country unless some are named", () => {
	const proxy = "http://user-cc-{country}-sid-{session}:pass@gate.example:7000";
	expect(configOf(`[residential]\nproxy = "${proxy}"`).residential).toEqual({ proxy, countries: null });
	expect(
		configOf(`[residential]\nproxy = "http://{country}.h:1"\ncountries = ["de", "us"]`).residential,
	).toEqual({
		proxy: "http://{country}.h:1",
		countries: ["de", "us"],
	});
	expect(problemsOf("[residential]\ncountries = []")).toEqual([
		expect.stringMatching(/^config.toml:1: residential.proxy is missing; it must be of the form http:/),
		"config.toml:2: residential.countries must be a list of countries; leave it out for every country, not an empty list",
	]);
});
