import os from "node:os";
import { expect, test, vi } from "vitest";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { allowedAddresses, checkTarget, EgressRefusal } from "../../../src/egress/policy.ts";

function reasonOf(work: () => unknown): string {
	try {
		work();
	} catch (thrown) {
		if (thrown instanceof EgressRefusal) return thrown.reason;
		throw thrown;
	}
	return "none";
}

const nothing = parseAllowList([]);
const verdict = (host: string, addresses: string[], allow = nothing, port = 80) =>
	reasonOf(() => allowedAddresses({ host, port }, addresses, allow));

test("refuses port 25, allowed or not", () => {
	expect(reasonOf(() => checkTarget({ host: "a.test", port: 25 }, nothing))).toBe("port");
	expect(reasonOf(() => checkTarget({ host: "a.test", port: 25 }, parseAllowList(["a.test:25"])))).toBe(
		"port",
	);
});

test("refuses an internal name without a lookup while nothing is allowed", () => {
	expect(reasonOf(() => checkTarget({ host: "nas.lan", port: 80 }, nothing))).toBe("internal-name");
	expect(reasonOf(() => checkTarget({ host: "nas.lan", port: 80 }, parseAllowList(["10.0.0.1"])))).toBe(
		"none",
	);
});

test("refuses a name for one private answer among public ones, wherever it stands", () => {
	expect(verdict("a.test", ["8.8.8.8", "1.1.1.1"])).toBe("none");
	expect(verdict("a.test", ["8.8.8.8", "10.0.0.1"])).toBe("private-address");
	expect(verdict("a.test", ["10.0.0.1", "8.8.8.8"])).toBe("private-address");
	expect(verdict("a.test", ["8.8.8.8", "::1"])).toBe("private-address");
	expect(verdict("a.test", ["8.8.8.8", "fe80::1%eth0"])).toBe("private-address");
	expect(verdict("a.test", ["8.8.8.8", "nonsense"])).toBe("private-address");
});

test("refuses an internal name even when it resolves to a public address", () => {
	expect(verdict("nas.lan", ["8.8.8.8"], parseAllowList(["10.0.0.0/8"]))).toBe("internal-name");
});

test("reaches an internal name at its allowed addresses only", () => {
	const allow = parseAllowList(["127.0.0.1:3000"]);
	expect(allowedAddresses({ host: "localhost", port: 3000 }, ["::1", "127.0.0.1"], allow)).toEqual([
		"127.0.0.1",
	]);
	expect(verdict("localhost", ["::1", "127.0.0.1"], allow, 3001)).toBe("internal-name");
});

test("reaches an allowed name wherever it resolves to, on that port", () => {
	const allow = parseAllowList(["nas.lan:80"]);
	expect(verdict("nas.lan", ["192.168.1.9", "8.8.8.8"], allow)).toBe("none");
	expect(verdict("nas.lan", ["192.168.1.9"], allow, 81)).toBe("internal-name");
	expect(verdict("evil.test", ["192.168.1.9"], allow)).toBe("private-address");
});

test("refuses this machine's own public addresses, in every spelling, unless allowed", () => {
	const spy = vi.spyOn(os, "networkInterfaces").mockReturnValue({
		eth0: [
			{
				address: "2606:4700:0::7",
				netmask: "",
				family: "IPv6",
				mac: "",
				internal: false,
				cidr: null,
				scopeid: 0,
			},
			{ address: "8.8.4.4", netmask: "", family: "IPv4", mac: "", internal: false, cidr: null },
		],
	});
	try {
		expect(verdict("8.8.4.4", ["8.8.4.4"])).toBe("own-address");
		expect(verdict("a.test", ["::ffff:8.8.4.4"])).toBe("own-address");
		expect(verdict("a.test", ["2606:4700::7"])).toBe("own-address");
		expect(verdict("a.test", ["64:ff9b::8.8.4.4"])).toBe("own-address");
		expect(verdict("a.test", ["8.8.4.4"], parseAllowList(["8.8.4.4:80"]))).toBe("none");
	} finally {
		spy.mockRestore();
	}
});

test.each(["update.googleapis.com", "clientservices.googleapis.com", "optimizationguide-pa.googleapis.com"])(
	"refuses the browser's own service %s, whatever is allowed",
	(host) => {
		const allow = parseAllowList([`${host}:443`]);
		expect(() => checkTarget({ host, port: 443 }, allow)).toThrow("browser-service");
	},
);

test.each([
	"accounts.google.com",
	"edgedl.me.gvt1.com",
	"safebrowsing.googleapis.com",
	"fonts.googleapis.com",
])("leaves %s to the pages that need it", (host) => {
	checkTarget({ host, port: 443 }, parseAllowList([]));
});
