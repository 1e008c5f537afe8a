import { inspect } from "node:util";
import pino from "pino";
import { expect, test } from "vitest";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { checkUpstreamHost, fillTemplate, parseUpstream } from "../../../src/egress/exit.ts";
import { EgressRefusal } from "../../../src/egress/policy.ts";

function parts(url: string) {
	const upstream = parseUpstream(url);
	if (upstream === undefined) return undefined;
	const { protocol, address } = upstream;
	const { user, password } = upstream.credentials() ?? {};
	return [protocol, address.host, address.port, user, password];
}

test.each([
	["http://proxy.example:8080", ["http", "proxy.example", 8080, undefined, undefined]],
	["https://proxy.example:443/", ["https", "proxy.example", 443, undefined, undefined]],
	["http://proxy.example:80", ["http", "proxy.example", 80, undefined, undefined]],
	["socks4://Proxy.Example.:1080", ["socks4", "proxy.example", 1080, undefined, undefined]],
	["SOCKS5://u:p@9.9.9.9:1", ["socks5", "9.9.9.9", 1, "u", "p"]],
	["socks5://u:p@[2606:4700::1111]:1080", ["socks5", "2606:4700::1111", 1080, "u", "p"]],
	["http://user@proxy.example:1", ["http", "proxy.example", 1, "user", ""]],
	["http://:p@proxy.example:1", ["http", "proxy.example", 1, "", "p"]],
	["http://@proxy.example:1", ["http", "proxy.example", 1, undefined, undefined]],
	["http://u:a:b@proxy.example:1", ["http", "proxy.example", 1, "u", "a:b"]],
	["http://u:a@b@proxy.example:1", ["http", "proxy.example", 1, "u", "a@b"]],
	["http://u%40x:p%2F%3A%23%25%20%C3%A4@proxy.example:1", ["http", "proxy.example", 1, "u@x", "p/:#% ä"]],
	["socks5://a%3Ab:p@proxy.example:1", ["socks5", "proxy.example", 1, "a:b", "p"]],
	["http://0x7f.1:8080", ["http", "127.0.0.1", 8080, undefined, undefined]],
])("reads %s", (url, expected) => {
	expect(parts(url)).toEqual(expected);
});

test.each([
	"",
	"proxy.example:8080",
	"ftp://proxy.example:21",
	"socks://proxy.example:1080",
	"socks5h://proxy.example:1080",
	"http://proxy.example",
	"http://proxy.example:",
	"http://proxy.example:0",
	"http://proxy.example:65536",
	"http://:8080",
	"http://u:p@:8080",
	"http://proxy.example:8080/path",
	"http://proxy.example:8080?q",
	"http://proxy.example:8080#f",
	"http://proxy.example:8080//",
	" http://proxy.example:8080",
	"http://proxy.example:8080\n",
	"http://proxy.example\\@evil:8080",
	"http://2606:4700::1111:8080",
	"http://[2606:4700::1111:8080",
	"http://[proxy.example]:8080",
	"http://[fe80::1%25eth0]:8080",
	"http://pro xy:8080",
	"http://%70roxy.example:8080",
	"http://u:100%@proxy.example:1",
	"http://u:%ff@proxy.example:1",
	"http://u:a%0d%0ab@proxy.example:1",
	"socks4://u%00x@proxy.example:1",
	"http://u%3Ax:p@proxy.example:1",
	`socks5://u:${"x".repeat(256)}@proxy.example:1`,
])("does not read %j", (url) => {
	expect(parseUpstream(url)).toBeUndefined();
});

test("never prints the credentials of a proxy", () => {
	const upstream = parseUpstream("http://mallory:geheim@proxy.example:8080");
	const lines: string[] = [];
	pino({ base: null }, { write: (line) => lines.push(line) }).info({ upstream, exit: { upstream } }, "x");
	const printed = [
		String(upstream),
		JSON.stringify({ upstream }),
		inspect(upstream, { showHidden: true }),
		inspect({ upstream }, { depth: 5 }),
		Bun.inspect({ upstream }),
		...lines,
	];
	for (const text of printed) {
		expect(text).toContain("http://***@proxy.example:8080");
		expect(text).not.toMatch(/geheim|mallory/);
	}
});

test("fills country and session into a residential URL, encoded", () => {
	const filled = fillTemplate("http://u-cc-{country}-{session}-{session}:p@gate.example:7000", {
		country: "de",
		session: "a b@$&",
	});
	expect(filled).toBe("http://u-cc-de-a%20b%40%24%26-a%20b%40%24%26:p@gate.example:7000");
	expect(parts(filled)).toEqual(["http", "gate.example", 7000, "u-cc-de-a b@$&-a b@$&", "p"]);
});

const nowhere = () => Promise.reject(new Error("no such name"));

test.each([
	["http://127.0.0.1:8080", nowhere],
	["http://[::ffff:10.0.0.1]:8080", nowhere],
	["http://169.254.169.254:80", nowhere],
	["http://localhost:8080", nowhere],
	["socks5://nas.lan:1080", nowhere],
	["socks5://a.test:1080", () => Promise.resolve(["10.0.0.1"])],
	["socks5://a.test:1080", () => Promise.resolve(["93.184.216.34", "192.168.0.1"])],
	["socks5://a.test:25", () => Promise.resolve(["93.184.216.34"])],
])("refuses the private proxy %s", async (url, resolve) => {
	const upstream = parseUpstream(url);
	if (upstream === undefined) throw new Error(url);
	await expect(checkUpstreamHost(upstream, parseAllowList([]), resolve)).rejects.toBeInstanceOf(
		EgressRefusal,
	);
});

test.each([
	["http://8.8.8.8:8080", [], nowhere],
	["http://a.test:8080", [], () => Promise.resolve(["93.184.216.34"])],
	["http://10.0.0.1:8080", ["10.0.0.0/8"], nowhere],
	["http://gluetun.lan:8888", ["gluetun.lan:8888"], () => Promise.resolve(["172.17.0.2"])],
])("accepts the proxy %s with %j allowed", async (url, allow, resolve) => {
	const upstream = parseUpstream(url);
	if (upstream === undefined) throw new Error(url);
	await checkUpstreamHost(upstream, parseAllowList(allow), resolve);
});

test("passes on that a proxy's name does not exist", async () => {
	const upstream = parseUpstream("http://a.test:8080");
	if (upstream === undefined) throw new Error("unread");
	await expect(checkUpstreamHost(upstream, parseAllowList([]), nowhere)).rejects.toThrow("no such name");
});
