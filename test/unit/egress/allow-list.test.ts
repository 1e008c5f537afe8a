import { expect, test } from "vitest";
import { OperatorError } from "../../../src/base/errors.ts";
import { parseAllowList } from "../../../src/egress/allow-list.ts";

test("allows nothing without entries", () => {
	const list = parseAllowList([]);
	expect(list.isEmpty).toBe(true);
	expect(list.allows("10.0.0.1", "10.0.0.1", 80)).toBe(false);
});

const rows = [
	{ entry: "10.0.0.0/8", host: "a.test", address: "10.1.2.3", port: 80, allowed: true },
	{ entry: "10.0.0.0/8", host: "a.test", address: "11.1.2.3", port: 80, allowed: false },
	{ entry: "10.0.0.0/8", host: "a.test", address: "fd00::1", port: 80, allowed: false },
	{ entry: "0.0.0.0/0", host: "a.test", address: "::1", port: 80, allowed: false },
	{ entry: "fd00::/8", host: "a.test", address: "fd12::1", port: 443, allowed: true },
	{ entry: "fd00::/8", host: "a.test", address: "10.0.0.1", port: 443, allowed: false },
	{ entry: "::ffff:10.0.0.0/104", host: "a.test", address: "10.1.2.3", port: 80, allowed: true },
	{ entry: "::ffff:10.0.0.0/104", host: "a.test", address: "11.1.2.3", port: 80, allowed: false },
	{ entry: "10.0.0.0/8", host: "a.test", address: "::ffff:10.1.2.3", port: 80, allowed: true },
	{ entry: "10.0.0.7", host: "a.test", address: "10.0.0.7", port: 1, allowed: true },
	{ entry: "10.0.0.7", host: "a.test", address: "10.0.0.8", port: 1, allowed: false },
	{ entry: "FD00:0::7", host: "a.test", address: "fd00::7", port: 1, allowed: true },
	{ entry: "10.0.0.7:8080", host: "a.test", address: "10.0.0.7", port: 8080, allowed: true },
	{ entry: "10.0.0.7:8080", host: "a.test", address: "10.0.0.7", port: 8081, allowed: false },
	{ entry: "127.1:8080", host: "a.test", address: "127.0.0.1", port: 8080, allowed: true },
	{ entry: "[fd00::7]:8080", host: "a.test", address: "fd00::7", port: 8080, allowed: true },
	{ entry: "[fd00::7]:8080", host: "a.test", address: "fd00::7", port: 80, allowed: false },
	{ entry: "NAS.lan.:8080", host: "nas.lan", address: "192.168.1.9", port: 8080, allowed: true },
	{ entry: "nas.lan:8080", host: "nas.lan", address: "192.168.1.9", port: 8081, allowed: false },
	{ entry: "nas.lan:8080", host: "other.lan", address: "192.168.1.9", port: 8080, allowed: false },
	{ entry: "nas.lan:8080", host: "192.168.1.9", address: "192.168.1.9", port: 8080, allowed: false },
	{ entry: " nas:80 ", host: "nas", address: "10.0.0.1", port: 80, allowed: true },
];

test.each(rows)(
	"$entry for $host at $address port $port: $allowed",
	({ entry, host, address, port, allowed }) => {
		expect(parseAllowList([entry]).allows(host, address, port)).toBe(allowed);
	},
);

test.each([
	"",
	"nas.lan",
	"nas.lan:0",
	"nas.lan:65536",
	"nas.lan:",
	":80",
	"10.0.0.0/33",
	"fd00::/129",
	"10.0.0.0/",
	"10.0.0/8",
	"fe80::1%eth0",
	"::ffff:0:0/90",
	"user@nas:80",
	"http://nas:80",
	"*.lan:80",
	"a b:80",
])("refuses the entry %j by name", (entry) => {
	expect(() => parseAllowList(["10.0.0.0/8", entry])).toThrow(OperatorError);
	expect(() => parseAllowList([entry])).toThrow(JSON.stringify(entry));
});
