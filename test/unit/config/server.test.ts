import { expect, test } from "vitest";
import { configOf, problemsOf } from "./fixture.ts";

test.each([
	["127.0.0.1:7788", "127.0.0.1", 7788, "http://127.0.0.1:7788"],
	["[::1]:7788", "::1", 7788, "http://[::1]:7788"],
	["0.0.0.0:80", "0.0.0.0", 80, "http://0.0.0.0"],
	["localhost:0", "localhost", 0, "http://localhost:0"],
])("listens on %s", (listen, host, port, publicUrl) => {
	expect(configOf(`[server]\nlisten = "${listen}"`).server).toMatchObject({ host, port, publicUrl });
});

test.each([
	":7788",
	"7788",
	"127.0.0.1",
	"127.0.0.1:65536",
	"::1:7788",
	"[127.0.0.1]:1",
	"300.1.1.1:1",
	"a b:1",
	"",
])("refuses to listen on %j", (listen) => {
	expect(problemsOf(`[server]\nlisten = "${listen}"`)).toEqual([
		`config.toml:2: server.listen must be an address with a port, such as "127.0.0.1:7788", "[::1]:7788" or, for every address of this machine, "0.0.0.0:7788", not "${listen}"`,
	]);
});

test.each([
	["https://barrel.example/", "https://barrel.example"],
	["http://box.lan:8080/barrel//", "http://box.lan:8080/barrel"],
	["HTTPS://Barrel.Example:443", "https://barrel.example"],
])("public_url %s becomes %s", (given, expected) => {
	expect(configOf(`[server]\npublic_url = "${given}"`).server.publicUrl).toBe(expected);
});

test.each(["barrel.example", "ftp://x", "http://u:hunter2@x", "http://x/?a", "http://x/#a", "http://"])(
	"refuses public_url %s without repeating it",
	(url) => {
		expect(problemsOf(`[server]\npublic_url = "${url}"`)).toEqual([
			'config.toml:2: server.public_url must be the http or https address that clients use, such as "https://barrel.example"',
		]);
	},
);

test("TLS needs both files, takes them from beside the file and makes the address https", () => {
	const { server } = configOf('[server]\ntls_cert = "/c.pem"\ntls_key = "~/k.pem"');
	expect(server.tls).toEqual({ certFile: "/c.pem", keyFile: "/home/ann/k.pem" });
	expect(server.publicUrl).toBe("https://127.0.0.1:7788");
	expect(problemsOf('[server]\n\ntls_cert = "c.pem"')).toEqual([
		"config.toml:3: server.tls_cert needs server.tls_key beside it",
	]);
});

test("trusted proxies are normalized and each is kept once", () => {
	const list = '["10.1.2.3/8", "::ffff:10.0.0.9", "FD00:0::1", "10.0.0.9", "::ffff:192.168.0.0/112"]';
	expect(configOf(`[server]\ntrusted_proxies = ${list}`).server.trustedProxies).toEqual([
		"10.0.0.0/8",
		"10.0.0.9",
		"fd00::1",
		"192.168.0.0/16",
	]);
});

test.each(["10.0.0.0/33", "10.0.0", "0x7f.1", "fe80::1%eth0", "proxy.lan", "/8"])(
	"refuses the trusted proxy %s",
	(text) => {
		expect(problemsOf(`[server]\ntrusted_proxies = [\n"10.0.0.1",\n"${text}"]`)).toEqual([
			`config.toml:4: server.trusted_proxies (entry 2) must be an IP address or a network such as "10.0.0.0/8", not "${text}"`,
		]);
	},
);

test.each([
	["root", { uid: 0 }, "/var/lib/barrel", "/run/barrel"],
	[
		"systemd",
		{ uid: 0, env: { STATE_DIRECTORY: "/var/lib/a:/var/lib/b", RUNTIME_DIRECTORY: "/run/a:/run/b" } },
		"/var/lib/a",
		"/run/a",
	],
	[
		"a user with XDG folders",
		{ env: { XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/run/user/1000" } },
		"/s/barrel",
		"/run/user/1000/barrel",
	],
	[
		"relative XDG folders",
		{ env: { XDG_STATE_HOME: "s" } },
		"/home/ann/.local/state/barrel",
		"/tmp/barrel-1000",
	],
])("folders by default: %s", (_, options, dataDir, runDir) => {
	expect(configOf("", options).server).toMatchObject({ dataDir, runDir });
});

test("run_dir may have 60 bytes and not one more", () => {
	const longest = `/${"x".repeat(59)}`;
	expect(`${longest}/brl-v-v7-${"0".repeat(20)}/out/control.sock`).toHaveLength(107);
	expect(configOf(`[server]\nrun_dir = "${longest}"`).server.runDir).toBe(longest);
	expect(problemsOf(`[server]\nrun_dir = "${longest}y"`)).toEqual([
		`config.toml:2: server.run_dir must be at most 60 bytes long, because the path of a Unix socket in it may have no more than 107; "${longest}y" has 61`,
	]);
});

test.each(["/srv", "/srv/barrel"])("run_dir %s must not hold the data", (runDir) => {
	expect(problemsOf(`[server]\ndata_dir = "/srv/barrel"\nrun_dir = "${runDir}"`)).toEqual([
		"config.toml:3: server.run_dir must not hold server.data_dir: what is in it does not outlast a restart",
	]);
});
