import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { clientAddress, parseTrustedProxies, rateKey } from "../../../src/http/client-ip.ts";

const trusted = parseTrustedProxies(["10.0.0.0/8", "192.0.2.7", "2001:db8:aa::/48", "fd00::1"]);
const PROXY = "10.0.0.1";

const client = (remote: string, headers: IncomingHttpHeaders) => clientAddress(remote, headers, trusted);
const xff = (value: string, remote = PROXY) => client(remote, { "x-forwarded-for": value });
const forwarded = (value: string) => client(PROXY, { forwarded: value });

describe("without a trusted proxy", () => {
	test.each([
		["203.0.113.9", "203.0.113.9"],
		["::ffff:203.0.113.9", "203.0.113.9"],
		["2001:DB8:0:0::0009", "2001:db8::9"],
		["fe80::1%eth0", "fe80::1"],
		["", ""],
		["no address", "no address"],
	])("%j is %j, whatever the headers say", (remote, expected) => {
		expect(client(remote, { "x-forwarded-for": "1.1.1.1", forwarded: "for=1.1.1.1" })).toBe(expected);
	});

	test("nobody is trusted when nobody is configured", () => {
		expect(clientAddress(PROXY, { "x-forwarded-for": "1.1.1.1" }, parseTrustedProxies([]))).toBe(PROXY);
	});
});

describe("a trusted proxy", () => {
	test.each([
		["10.255.255.255", "1.1.1.1"],
		["11.0.0.0", "11.0.0.0"],
		["::ffff:10.0.0.1", "1.1.1.1"],
		["192.0.2.7", "1.1.1.1"],
		["192.0.2.8", "192.0.2.8"],
		["2001:db8:aa:ff::1", "1.1.1.1"],
		["2001:db8:ab::1", "2001:db8:ab::1"],
		["fd00::1", "1.1.1.1"],
		["fd00::2", "fd00::2"],
	])("behind %s the client is %s", (remote, expected) => {
		expect(xff("1.1.1.1", remote)).toBe(expected);
	});

	test("that forwards without a header is the client", () => {
		expect(client(PROXY, {})).toBe(PROXY);
		expect(xff("")).toBe(PROXY);
	});
});

describe("X-Forwarded-For", () => {
	test.each([
		["1.1.1.1", "1.1.1.1"],
		["6.6.6.6, 1.1.1.1", "1.1.1.1"],
		["6.6.6.6,1.1.1.1,10.0.0.3 , 10.0.0.2", "1.1.1.1"],
		["10.0.0.3, 10.0.0.2", "10.0.0.3"],
		["1.1.1.1:4711", "1.1.1.1"],
		["2001:db8::1", "2001:db8::1"],
		["[2001:db8::1]", "2001:db8::1"],
		["[2001:db8::1]:4711", "2001:db8::1"],
		["::ffff:1.1.1.1", "1.1.1.1"],
		["1.1.1.1, ::ffff:10.0.0.2", "1.1.1.1"],
		["1.1.1.1,, ,10.0.0.2,", "1.1.1.1"],
	])("%j comes from %s", (value, expected) => {
		expect(xff(value)).toBe(expected);
	});

	test.each([
		"unknown",
		"1.1.1.1, garbage",
		"1.1.1.1, 10.0.0.2, 1.1.1.300",
		"1.1.1.1, 0x0a.0.0.1",
		"1.1.1.1, 127.1",
		"1.1.1.1, 010.0.0.2",
		"1.1.1.1, 1.1.1.1:",
		"1.1.1.1, [::1",
		"1.1.1.1, ::1]",
		"1.1.1.1, <script>",
		`${"9".repeat(5_000)}`,
	])("%j ends at the proxy", (value) => {
		expect(xff(value)).toBe(PROXY);
	});

	test("ends at the last good hop before garbage", () => {
		expect(xff("1.1.1.1, garbage, 10.0.0.2")).toBe("10.0.0.2");
	});
});

describe("Forwarded", () => {
	test.each([
		["for=1.1.1.1", "1.1.1.1"],
		["For=6.6.6.6;proto=https, FOR=1.1.1.1;by=10.0.0.9", "1.1.1.1"],
		["for=1.1.1.1, for=10.0.0.2;proto=https", "1.1.1.1"],
		['for="1.1.1.1:4711"', "1.1.1.1"],
		['for="[2001:db8::1]"', "2001:db8::1"],
		['by=proxy;for="[2001:db8::1]:4711";host="a.example:8080"', "2001:db8::1"],
		['for="[2001:db8::1]:_hidden"', "2001:db8::1"],
		['for="[::ffff:1.1.1.1]"', "1.1.1.1"],
		['for="1.1\\.1.1"', "1.1.1.1"],
	])("%s comes from %s", (value, expected) => {
		expect(forwarded(value)).toBe(expected);
	});

	test.each([
		"for=unknown",
		"for=_hidden",
		"proto=https",
		"for=",
		"for",
		"=",
		'for="1.1.1.1',
		"for=1.1.1.1:80",
	])("%s ends at the proxy", (value) => {
		expect(forwarded(value)).toBe(PROXY);
		expect(forwarded(`for=1.1.1.1, ${value}, for=10.0.0.2`)).toBe("10.0.0.2");
	});

	test("is not swallowed by what a client left open", () => {
		expect(forwarded('for="6.6.6.6, for=1.1.1.1')).toBe("1.1.1.1");
		expect(forwarded('for=6.6.6.6;x="\\, for=1.1.1.1')).toBe("1.1.1.1");
	});
});

describe("several lines of a header", () => {
	test("are read as one, the last line being the nearest", () => {
		const lines = ["6.6.6.6, 1.1.1.1", "10.0.0.3"];
		expect(client(PROXY, { "x-forwarded-for": lines })).toBe("1.1.1.1");
	});
});

describe("both headers", () => {
	test.each([
		["1.1.1.1", "for=1.1.1.1", "1.1.1.1"],
		["6.6.6.6, 1.1.1.1", "for=7.7.7.7, for=1.1.1.1", "1.1.1.1"],
		["1.1.1.1, 10.0.0.2", "for=1.1.1.1, for=10.0.0.2", "1.1.1.1"],
		// The outer proxy knows only one of them.
		["1.1.1.1, 10.0.0.2", "for=10.0.0.2", "1.1.1.1"],
		["10.0.0.2", "for=1.1.1.1, for=10.0.0.2", "1.1.1.1"],
		["", "for=1.1.1.1", "1.1.1.1"],
	])("%s and %s agree on %s", (value, element, expected) => {
		expect(client(PROXY, { "x-forwarded-for": value, forwarded: element })).toBe(expected);
	});

	test.each([
		["1.1.1.1", "for=6.6.6.6", PROXY],
		["6.6.6.6", "for=1.1.1.1", PROXY],
		["1.1.1.1, 10.0.0.2", "for=6.6.6.6, for=10.0.0.2", "10.0.0.2"],
		["1.1.1.1", "for=unknown", PROXY],
		["garbage", "for=1.1.1.1", PROXY],
	])("%s and %s disagree: neither is believed", (value, element, expected) => {
		expect(client(PROXY, { "x-forwarded-for": value, forwarded: element })).toBe(expected);
	});
});

describe("rateKey", () => {
	test.each([
		["203.0.113.9", "203.0.113.9"],
		["::ffff:203.0.113.9", "203.0.113.9"],
		["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
		["2001:db8:1:2::", "2001:db8:1:2::/64"],
		["2001:db8:1:3::1", "2001:db8:1:3::/64"],
		["::1", "::/64"],
		["", ""],
		["no: address", "no: address"],
	])("of %j is %j", (address, expected) => {
		expect(rateKey(address)).toBe(expected);
	});
});
