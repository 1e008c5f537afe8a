import { describe, expect, test } from "vitest";
import { type ChromeFlagOptions, chromeFlags } from "../../../src/browser/chrome-flags.ts";

function flags(options: Partial<ChromeFlagOptions> = {}): string[] {
	return chromeFlags({
		executable: "/usr/lib/chromium/chromium",
		majorVersion: "156",
		screen: { width: 800, height: 600 },
		imageFlags: [],
		proxyAlias: undefined,
		sandbox: true,
		...options,
	});
}

const disabledFeatures = (given: readonly string[]) =>
	given.filter((flag) => flag.startsWith("--disable-features="));

describe("every browser", () => {
	test.each([
		"--proxy-server=http://127.0.0.1:{proxyPort}",
		"--proxy-bypass-list=<-loopback>",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-quic",
		"--dns-prefetch-disable",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--no-first-run",
		"--password-store=basic",
	])("has %s", (flag) => {
		expect(flags()).toContain(flag);
	});

	test.each(["AsyncDns", "DnsOverHttps", "WebUIOmniboxPopup", "OptimizationHints"])(
		"is without the feature %s",
		(feature) => {
			const [flag = ""] = disabledFeatures(flags());
			expect(flag.slice("--disable-features=".length).split(",")).toContain(feature);
		},
	);

	test("keeps its own sandbox, unless the operator takes it off", () => {
		expect(flags().join(" ")).not.toMatch(/sandbox/);
		expect(flags({ sandbox: false })).toContain("--no-sandbox");
	});

	test("opens no debugging port or pipe by these flags: the shim chooses it", () => {
		expect(flags().join(" ")).not.toMatch(/remote-debugging|remote-allow-origins|user-data-dir/);
	});

	test("names no headless browser to pages", () => {
		const agent = flags().find((flag) => flag.startsWith("--user-agent="));
		expect(agent).toMatch(/ Chrome\/156\.0\.0\.0 Safari\/537\.36$/);
		expect(agent).not.toMatch(/headless/i);
	});

	test("has each switch once", () => {
		const names = flags({ imageFlags: ["--disable-features=A", "--disable-features=B", "--lang=de"] }).map(
			(flag) => flag.split("=")[0],
		);
		expect(new Set(names).size).toBe(names.length);
	});
});

describe("the screen", () => {
	test.each([
		["/usr/lib/chromium/chromium", "--headless=new", "--window-size=800,687"],
		["/usr/lib/chromium/chromium-headless-shell", "--headless", "--window-size=800,600"],
		["/opt/chrome_headless_shell/chrome", "--headless", "--window-size=800,600"],
	])("of %s", (executable, headless, size) => {
		const given = flags({ executable });
		expect(given).toContain(headless);
		expect(given).toContain(size);
		expect(given).toContain("--screen-info={800x600}");
	});
});

describe("an operator's flags", () => {
	test("are passed on", () => {
		expect(flags({ imageFlags: ["--lang=de", "--mute-audio"] })).toEqual(
			expect.arrayContaining(["--lang=de", "--mute-audio"]),
		);
	});

	test("that disable features join ours in one switch, the last one given", () => {
		const given = flags({
			imageFlags: ["--disable-features=Mine,Yours", "--lang=de", "--disable-features=Theirs"],
		});
		expect(disabledFeatures(given)).toHaveLength(1);
		expect(given.at(-1)).toMatch(/^--disable-features=.*AsyncDns.*,Mine,Yours,Theirs$/);
	});
});

describe("without a network namespace", () => {
	const given = flags({ proxyAlias: "gw-0123456789abcdef" });

	test("the proxy hides behind a name that only this browser can resolve", () => {
		expect(given).toContain("--proxy-server=http://gw-0123456789abcdef:{proxyPort}");
		expect(given).toContain(
			"--host-resolver-rules=MAP gw-0123456789abcdef:{proxyPort} 127.0.0.1:{proxyPort} , MAP * ~NOTFOUND",
		);
	});

	test("no other way leads to loopback", () => {
		expect(given.join(" ")).not.toMatch(/EXCLUDE/);
		expect(given).toContain("--proxy-bypass-list=<-loopback>");
	});
});
