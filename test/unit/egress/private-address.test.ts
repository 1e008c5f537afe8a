import { describe, expect, test } from "vitest";
import { canonicalAddress, isPublicAddress, ownAddresses } from "../../../src/egress/private-address.ts";

const refused = [
	"0.0.0.0",
	"0.255.255.255",
	"10.0.0.0",
	"10.255.255.255",
	"100.64.0.0",
	"100.127.255.255",
	"127.0.0.1",
	"127.255.255.255",
	"168.63.129.16",
	"169.254.0.0",
	"169.254.169.254",
	"172.16.0.0",
	"172.31.255.255",
	"192.0.0.0",
	"192.0.0.255",
	"192.0.2.1",
	"192.88.99.1",
	"192.168.0.0",
	"192.168.255.255",
	"198.18.0.0",
	"198.19.255.255",
	"198.51.100.1",
	"203.0.113.1",
	"224.0.0.1",
	"239.255.255.255",
	"240.0.0.1",
	"255.255.255.255",
	"::",
	"::1",
	"::127.0.0.1",
	"::8.8.8.8",
	"::ffff:127.0.0.1",
	"::ffff:a00:1",
	"::FFFF:169.254.169.254",
	"::ffff:0:8.8.8.8",
	"64:ff9b::10.0.0.1",
	"64:ff9b::7f00:1",
	"64:ff9b::a9fe:a9fe",
	"64:ff9b:1::10.0.0.1",
	"64:ff9b:1:a00:1::",
	"64:ff9b:1:fffe::8.8.8.8",
	"64:ff9b:2::8.8.8.8",
	"100::1",
	"2001::1",
	"2001:0:7f00:1::",
	"2001:20::1",
	"2001:1ff:ffff::1",
	"2001:db8::1",
	"2001:db8:ffff:ffff::1",
	"2002:7f00:1::",
	"2002:808:808::1",
	"3fff::1",
	"3fff:fff:ffff::1",
	"4000::1",
	"5f00::1",
	"fc00::1",
	"fd00::1",
	"fe80::1",
	"fe80::1%eth0",
	"2606:4700::1111%eth0",
	"fec0::1",
	"ff02::1",
	"1fff:ffff::1",
];

const accepted = [
	"1.0.0.1",
	"8.8.8.8",
	"9.255.255.255",
	"11.0.0.0",
	"100.63.255.255",
	"100.128.0.0",
	"126.255.255.255",
	"128.0.0.0",
	"168.63.129.15",
	"168.63.129.17",
	"169.253.255.255",
	"169.255.0.0",
	"172.15.255.255",
	"172.32.0.0",
	"192.0.1.0",
	"192.0.3.0",
	"192.88.98.255",
	"192.88.100.0",
	"192.167.255.255",
	"192.169.0.0",
	"198.17.255.255",
	"198.20.0.0",
	"198.51.99.255",
	"198.51.101.0",
	"203.0.112.255",
	"203.0.114.0",
	"223.255.255.255",
	"::ffff:8.8.8.8",
	"::ffff:808:808",
	"64:ff9b::8.8.8.8",
	"64:ff9b:1::8.8.8.8",
	"2000::1",
	"2001:200::1",
	"2001:db7:ffff::1",
	"2001:db9::1",
	"2003::1",
	"2606:4700:4700::1111",
	"3ffe:ffff::1",
	"3fff:1000::1",
];

const noAddresses = [
	"",
	" ",
	"example.com",
	"127.1",
	"0x7f.0.0.1",
	"0177.0.0.1",
	"2130706433",
	"08.8.8.8",
	"8.8.8.8 ",
	"8.8.8.8.",
	"[::1]",
	"8.8.8.8/32",
	"8.8.8",
];

describe("isPublicAddress", () => {
	test.each(refused)("refuses %s", (address) => {
		expect(isPublicAddress(address)).toBe(false);
	});
	test.each(accepted)("accepts %s", (address) => {
		expect(isPublicAddress(address)).toBe(true);
	});
	test.each(noAddresses)("does not take %j for an address", (text) => {
		expect(isPublicAddress(text)).toBe(false);
		expect(canonicalAddress(text)).toBeUndefined();
	});
});

test("spells every form of one address alike", () => {
	expect(canonicalAddress("2001:DB8:0:0:0:0:0:1")).toBe("2001:db8::1");
	expect(canonicalAddress("::ffff:7f00:1")).toBe("127.0.0.1");
});

test("knows this machine's own addresses", () => {
	const own = ownAddresses();
	expect(own.has("127.0.0.1")).toBe(true);
	for (const address of own) expect(canonicalAddress(address)).toBe(address);
});
