import { join } from "node:path";
import { expect, test } from "vitest";
import { settings, singleSettings } from "../../../src/config/schema.ts";
import { ConfigFolder, configOf, problemsOf } from "./fixture.ts";

test("a variable replaces the value of the file, which then need not be right", () => {
	const env = { BARREL__SESSIONS__IDLE_TIMEOUT: "7m" };
	expect(configOf("[sessions]\nidle_timeout = 5", { env }).sessions.idleTimeoutMs).toBe(420_000);
});

test("upper and lower case are the same in a variable's name", () => {
	const env = { barrel__Server__LISTEN: "0.0.0.0:80" };
	expect(configOf("", { env }).server).toMatchObject({ host: "0.0.0.0", port: 80 });
});

test.each([
	["BARREL__SESSIONS__SPARES", "3", { sessions: { spares: 3 } }],
	["BARREL__SESSIONS__SANDBOX", "false", { sessions: { sandbox: false } }],
	["BARREL__SESSIONS__ISOLATION", "none", { sessions: { isolation: "none" } }],
	["BARREL__SESSIONS__ISOLATION", '"none"', { sessions: { isolation: "none" } }],
	["BARREL__SESSIONS__MEMORY_MAX", "2GB", { sessions: { memoryMaxBytes: 2_147_483_648 } }],
	["BARREL__LIMITS__REQUESTS_PER_SECOND", "0.5", { limits: { requestsPerSecond: 0.5 } }],
	["BARREL__EGRESS__ALLOW", '["10.0.0.0/8", "a.lan:1"]', { egress: { allow: ["10.0.0.0/8", "a.lan:1"] } }],
	[
		"BARREL__RESIDENTIAL__PROXY",
		"http://u:p@h:1",
		{ residential: { proxy: "http://u:p@h:1", countries: null } },
	],
])("%s=%s is read as a TOML value, else as text", (name, text, expected) => {
	expect(configOf("", { env: { [name]: text } })).toMatchObject(expected);
});

test("a value with line breaks cannot set a second key", () => {
	const env = { BARREL__SESSIONS__SPARES: "3\nother = 1" };
	expect(problemsOf("", { env })).toEqual([
		'BARREL__SESSIONS__SPARES must be a whole number, at least 0, not "3\\nother = 1"',
	]);
});

test.each([
	["BARREL__SERVER__LISTNE", "is not a variable that barrel knows; did you mean BARREL__SERVER__LISTEN?"],
	["BARREL__XYZ", "is not a variable that barrel knows"],
	[
		"BARREL__SERVER__LISTEN__PORT",
		"is not a variable that barrel knows; did you mean BARREL__SERVER__LISTEN?",
	],
	["BARREL__PLANS__ID", "cannot be set: lists of tables are read from the file only"],
	["BARREL__IMAGES", "cannot be set: lists of tables are read from the file only"],
])("refuses %s", (name, sentence) => {
	expect(problemsOf("", { env: { [name]: "1" } })).toEqual([`${name} ${sentence}`]);
});

test("refuses two spellings of one variable", () => {
	const env = { BARREL__LIMITS__BURST: "5", barrel__limits__burst: "6" };
	expect(problemsOf("", { env })).toEqual([
		"barrel__limits__burst and BARREL__LIMITS__BURST set the same value: keep one of them",
	]);
});

test("leaves variables alone that only look alike", () => {
	expect(
		problemsOf("", { env: { BARREL_LOG_LEVEL: "debug", BARREL_: "x", BARREL__LIMITS__BURST: undefined } }),
	).toEqual([]);
});

test("names the variable, and the entry of its list, that is wrong", () => {
	const env = { BARREL__EGRESS__ALLOW: '["10.0.0.1", "nonsense"]', BARREL__SERVER__TLS_KEY: "k.pem" };
	expect(problemsOf("[server]\n", { env })).toEqual([
		'BARREL__EGRESS__ALLOW (entry 2) must be a network, an IP address or host:port, such as "10.0.0.0/8", "10.0.0.7", "printer.lan:631", not "nonsense"',
		"BARREL__SERVER__TLS_KEY needs server.tls_cert beside it",
	]);
});

test("a section that is no table in the file stays the problem", () => {
	const env = { BARREL__LIMITS__BURST: "5" };
	expect(problemsOf("limits = 3", { env })).toEqual(["config.toml:1: limits must be a table, not 3"]);
});

test("relative paths count from the working folder, those of the file from its own", () => {
	using folder = new ConfigFolder({ "etc/barrel.toml": '[server]\ndata_dir = "data"\nrun_dir = "run"' });
	const env = { BARREL__SERVER__RUN_DIR: "here" };
	const { server } = folder.load({ file: "etc/barrel.toml", env, cwd: folder.path }).config;
	expect(server).toMatchObject({ dataDir: join(folder.path, "etc/data"), runDir: join(folder.path, "here") });
});

test("every setting outside lists of tables has a variable", () => {
	const inLists = /^(images|plans|locations)\./;
	expect(singleSettings).toEqual(settings.filter((setting) => !inLists.test(setting)));
	expect(singleSettings).toHaveLength(25);
});
