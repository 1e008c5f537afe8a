import { describe, expect, test } from "vitest";
import {
	hostHeader,
	isInternalName,
	MalformedTarget,
	parseAuthority,
	parseHttpUrl,
} from "../../../src/egress/target.ts";

describe("parseAuthority", () => {
	test.each([
		["Example.COM:443", "example.com", 443],
		["example.com.:443", "example.com", 443],
		["a_b.example:1", "a_b.example", 1],
		["2130706433:80", "127.0.0.1", 80],
		["0x7f.1:80", "127.0.0.1", 80],
		["0x7F000001:80", "127.0.0.1", 80],
		["127.1:80", "127.0.0.1", 80],
		["127.0.1:80", "127.0.0.1", 80],
		["0177.0.0.1:80", "127.0.0.1", 80],
		["0:80", "0.0.0.0", 80],
		["127.0.0.1.:80", "127.0.0.1", 80],
		["[::1]:65535", "::1", 65_535],
		["[0:0:0:0:0:0:0:1]:80", "::1", 80],
		["[::ffff:127.0.0.1]:80", "127.0.0.1", 80],
		["[::FFFF:a9fe:a9fe]:80", "169.254.169.254", 80],
	])("reads %s as %s port %i", (text, host, port) => {
		expect(parseAuthority(text)).toEqual({ host, port });
	});

	test.each([
		"",
		":",
		":80",
		"a.test",
		"a.test:",
		"a.test:0",
		"a.test:65536",
		"a.test:123456",
		"a.test:+80",
		"a.test:8 0",
		"a.test:80:90",
		"user@a.test:80",
		"user:pw@a.test:80",
		"a.test:80/",
		"/a",
		"http://a.test:80",
		"::1:80",
		"[::1]",
		"[::1%eth0]:80",
		"[fe80::1%25eth0]:80",
		"[127.0.0.1]:80",
		"[::1:80",
		"256.1.1.1:80",
		"1.2.3.4.5:80",
		"08.1.1.1:80",
		"a..b:80",
		".a:80",
		"a.test..:80",
		"127.0.0.1..:80",
		"ex%61mple.com:80",
		"１２７.0.0.1:80",
		"a.test\\@b.test:80",
		"a\tb:80",
		"a\u0000b:80",
		"a b:80",
		"a\r\nb:80",
		"xn--a:80",
		`${"a".repeat(64)}.test:80`,
		`${"a.".repeat(130)}b:80`,
	])("refuses %j", (text) => {
		expect(() => parseAuthority(text)).toThrow(MalformedTarget);
	});
});

describe("parseHttpUrl", () => {
	test.each([
		["http://a.test", "a.test", 80, "/"],
		["HTTP://A.test/", "a.test", 80, "/"],
		["http://a.test:8080/x?y=1#frag", "a.test", 8080, "/x?y=1"],
		["http://a.test?y=/", "a.test", 80, "/?y=/"],
		["http://a.test/../%2e%2E//b", "a.test", 80, "/../%2e%2E//b"],
		["http://[::1]:80/", "::1", 80, "/"],
		["http://0x7f.1/", "127.0.0.1", 80, "/"],
	])("reads %s as %s port %i path %s", (text, host, port, path) => {
		expect(parseHttpUrl(text)).toEqual({ target: { host, port }, path });
	});

	test.each([
		"/",
		"*",
		"a.test:80",
		"https://a.test/",
		"ws://a.test/",
		"ftp://a.test/",
		"http:/a.test",
		"http:a.test",
		"http:///x",
		"http://",
		"http://u:p@a.test/",
		"http://a.test@b.test/",
		"http://a.test:/",
		"http://a.test:x/",
		"http://a\\b.test/",
		"http://a.test/ä",
		"http://a.test/\u007f",
		"http://a.test/ x",
		" http://a.test/",
	])("refuses %j", (text) => {
		expect(() => parseHttpUrl(text)).toThrow(MalformedTarget);
	});
});

test.each([
	"localhost",
	"a.localhost",
	"printer.local",
	"metadata.google.internal",
	"nas.lan",
	"x.home.arpa",
	"home.arpa",
	"x.intranet",
	"x.corp",
	"x.home",
	"x.private",
	"localhost.localdomain",
	"nas",
	"com",
])("takes %s for internal", (host) => {
	expect(isInternalName(host)).toBe(true);
});

test.each([
	"example.com",
	"local.example.com",
	"mylocalhost.com",
	"xlocal.de",
	"8.8.8.8",
	"127.0.0.1",
	"::1",
])("does not take %s for an internal name", (host) => {
	expect(isInternalName(host)).toBe(false);
});

test("writes a Host header with brackets, and without port 80", () => {
	expect(hostHeader({ host: "::1", port: 80 })).toBe("[::1]");
	expect(hostHeader({ host: "::1", port: 81 })).toBe("[::1]:81");
	expect(hostHeader({ host: "a.test", port: 80 })).toBe("a.test");
	expect(hostHeader({ host: "a.test", port: 443 })).toBe("a.test:443");
});
