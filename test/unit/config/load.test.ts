import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OperatorError } from "../../../src/base/errors.ts";
import { ConfigError } from "../../../src/config/problems.ts";
import { ConfigFolder, configOf, problemsIn } from "./fixture.ts";

const spares = (count: number) => `[sessions]\nspares = ${count}\n`;

test("takes --config before $BARREL_CONFIG before ./config.toml before the system's file", () => {
	using folder = new ConfigFolder({
		"a.toml": spares(1),
		"b.toml": spares(2),
		"config.toml": spares(3),
		"etc/config.toml": spares(4),
	});
	const env = { BARREL_CONFIG: "b.toml" };
	const elsewhere = join(folder.path, "elsewhere");
	const loaded = [
		folder.load({ file: "a.toml", env }),
		folder.load({ env }),
		folder.load({ env: { BARREL_CONFIG: "" } }),
		folder.load({ cwd: elsewhere }),
	];
	expect(loaded.map(({ config }) => config.sessions.spares)).toEqual([1, 2, 3, 4]);
	expect(loaded.map(({ file }) => file)).toEqual(
		["a.toml", "b.toml", "config.toml", "etc/config.toml"].map((name) => join(folder.path, name)),
	);
});

test("runs with the defaults when there is no file", () => {
	using folder = new ConfigFolder();
	const { config, file } = folder.load();
	expect(file).toBeUndefined();
	const features = [
		"programmatic_access",
		"locations",
		"own_proxy",
		"residential",
		"restricted_images",
		"analysis",
	];
	const unlimited = { cycleSessionLimit: null, runtimeMinutes: null, residentialMb: null };
	expect(config).toEqual({
		server: {
			host: "127.0.0.1",
			port: 7788,
			publicUrl: "http://127.0.0.1:7788",
			dataDir: "/home/ann/.local/state/barrel",
			runDir: "/tmp/barrel-1000",
			trustedProxies: [],
			tls: undefined,
		},
		limits: { requestsPerSecond: 2, burst: 20, startsPerMinute: 30, startsPerHour: 300, startsPerDay: 2000 },
		sessions: {
			idleTimeoutMs: 300_000,
			lifetimeMs: 64_800_000,
			startTimeoutMs: 30_000,
			orphanTimeoutMs: 120_000,
			spares: 1,
			isolation: "cage",
			memoryMaxBytes: undefined,
			sandbox: true,
			firstUid: 20_000,
			uidCount: 10_000,
		},
		egress: { allow: [] },
		images: [],
		plans: [
			{ id: "analyst", name: "Analyst", runningSessionLimit: 3, ...unlimited, features },
			{ id: "team", name: "Team", runningSessionLimit: 3, ...unlimited, features },
		],
		locations: [],
		residential: undefined,
	});
});

test.each([
	["--config", { file: "gone.toml" }],
	["$BARREL_CONFIG", { env: { BARREL_CONFIG: "gone.toml" } }],
])("refuses a missing file that %s names", (origin, options) => {
	using folder = new ConfigFolder({ "config.toml": "" });
	expect(problemsIn(() => folder.load(options))).toEqual([
		`gone.toml: there is no such file (named by ${origin})`,
	]);
});

test("refuses a file that it cannot read, also one that nobody named", () => {
	using folder = new ConfigFolder({ "etc/config.toml": "" });
	mkdirSync(join(folder.path, "config.toml"));
	expect(problemsIn(() => folder.load())).toEqual(["config.toml: cannot be read: it is a folder"]);
});

test.skipIf(process.getuid?.() === 0)("says when permission to read is missing", () => {
	using folder = new ConfigFolder({ "config.toml": "" });
	chmodSync(join(folder.path, "config.toml"), 0);
	expect(problemsIn(() => folder.load())).toEqual([
		"config.toml: cannot be read: this user has no permission to read it",
	]);
});

test("refuses a file that is not UTF-8", () => {
	using folder = new ConfigFolder();
	folder.write("config.toml", new Uint8Array([0x23, 0xff, 0xfe]));
	expect(problemsIn(() => folder.load())).toEqual(["config.toml: is not UTF-8 text"]);
});

test("names file, line and column of a syntax error and does not quote the line", () => {
	using folder = new ConfigFolder({
		"config.toml": '[residential]\nproxy = "http://u:hunter2@gate:1" oops\n',
	});
	const problems = problemsIn(() => folder.load());
	expect(problems).toHaveLength(1);
	expect(problems[0]).toMatch(
		/^config\.toml:2:\d+: each key-value declaration must be followed by an end-of-line$/,
	);
});

test("tells every problem in one error for the operator", () => {
	using folder = new ConfigFolder({
		"config.toml": [
			"[sessions]",
			"idle_timeout = 5",
			"[server]",
			'listne = "127.0.0.1:1"',
			"[[images]]",
			'name = "x"',
			"[[locations]]",
			'code = "de"',
			'name = "Germany"',
			'default = "de-bonn"',
			'cities = [{ code = "de-berlin", location = "Berlin", proxy = "http://h:1" }]',
		].join("\n"),
	});
	const load = () => folder.load({ env: { BARREL__LIMITS__BURST: "many" } });
	expect(load).toThrow(OperatorError);
	expect(load).toThrow(ConfigError);
	expect(problemsIn(load)).toEqual([
		'config.toml:2: sessions.idle_timeout must be a duration such as "5m", not 5',
		"config.toml:4: server.listne is not a key that barrel knows; did you mean server.listen?",
		'config.toml:5: images.id is missing; it must be 1 to 64 letters, digits, ".", "_" or "-", such as "chrome"',
		"config.toml:10: locations.default must be one of its cities: de-berlin",
		'BARREL__LIMITS__BURST must be a whole number, at least 1, not "many"',
	]);
});

test("names the file as the operator did", () => {
	using folder = new ConfigFolder({ "sub/my.toml": "[limits]\nburst = 0" });
	expect(problemsIn(() => folder.load({ file: "./sub/my.toml" }))).toEqual([
		"./sub/my.toml:2: limits.burst must be a whole number, at least 1, not 0",
	]);
});

test("freezes the configuration in its depth", () => {
	const config = configOf('[[images]]\nid = "a"\nname = "A"\nflags = ["--mute-audio"]');
	const within = (value: unknown): unknown[] =>
		typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(within)] : [];
	expect(within(config).filter((value) => !Object.isFrozen(value))).toEqual([]);
});

test("one load leaves no trace in the next", () => {
	configOf('[[plans]]\nid = "a"\nname = "A"\nfeatures = []\n[server]\ntrusted_proxies = ["10.0.0.1"]');
	const config = configOf("");
	expect(config.plans.map(({ id }) => id)).toEqual(["analyst", "team"]);
	expect(config.server.trustedProxies).toEqual([]);
});
