/**
 * Chrome's command line. Three groups: what keeps traffic on the session's own proxy, what keeps Chrome from talking to
 * its maker, and what makes it start fast (measured in docs/decisions.md). Chrome's own sandbox stays on.
 */
import type { Screen } from "../sessions/ports.ts";

export interface ChromeFlagOptions {
	executable: string;
	/** Of the browser, for a user agent without the word Headless. */
	majorVersion: string;
	screen: Screen;
	/** The image's own flags, from the configuration. */
	imageFlags: readonly string[];
	/** Without a network namespace the proxy hides behind a name that only this browser can resolve. */
	proxyAlias: string | undefined;
	sandbox: boolean;
}

/** What Chrome's own toolbar takes of a window, in CSS pixels; a wrong guess is corrected after the start. */
const TOOLBAR_HEIGHT = 87;

const disabledFeatures = [
	"SpareRendererForSitePerProcess",
	"PreloadTopChromeWebUI",
	"PreloadTopChromeWebUILessNavigations",
	"WebUIOmniboxPopup",
	"WebUIOmniboxAimPopup",
	"WebUIOmniboxFullPopup",
	"AsyncDns",
	"DnsOverHttps",
	"NetworkTimeServiceQuerying",
	"MediaRouter",
	"DialMediaRouteProvider",
	"OptimizationHints",
	"Translate",
];

function networkFlags(alias: string | undefined): string[] {
	const proxyHost = alias ?? "127.0.0.1";
	const names =
		alias === undefined
			? "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
			: `MAP ${alias}:{proxyPort} 127.0.0.1:{proxyPort} , MAP * ~NOTFOUND`;
	return [
		`--proxy-server=http://${proxyHost}:{proxyPort}`,
		"--proxy-bypass-list=<-loopback>",
		`--host-resolver-rules=${names}`,
		// Chromium reads the first of these two, chromium-headless-shell only the second.
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-quic",
		"--dns-prefetch-disable",
	];
}

const quietFlags = [
	"--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--gaia-url=http://127.0.0.1:1",
	"--password-store=basic",
	"--use-mock-keychain",
	"--noerrdialogs",
	"--disable-infobars",
	"--disable-blink-features=AutomationControlled",
];

/** Operators' `--disable-features` join ours, since Chrome takes only the last one given. */
function featureFlag(imageFlags: readonly string[]): string {
	const prefix = "--disable-features=";
	const further = imageFlags
		.filter((flag) => flag.startsWith(prefix))
		.map((flag) => flag.slice(prefix.length));
	return prefix + [...disabledFeatures, ...further].join(",");
}

/** `{proxyPort}` is left for the shim to fill in. */
export function chromeFlags(options: ChromeFlagOptions): string[] {
	const { width, height } = options.screen;
	const isHeadlessShell = /headless[-_]shell/.test(options.executable);
	const platform = process.platform === "darwin" ? "Macintosh; Intel Mac OS X 10_15_7" : "X11; Linux x86_64";
	return [
		isHeadlessShell ? "--headless" : "--headless=new",
		...networkFlags(options.proxyAlias),
		...quietFlags,
		`--user-agent=Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${options.majorVersion}.0.0.0 Safari/537.36`,
		`--window-size=${width},${height + (isHeadlessShell ? 0 : TOOLBAR_HEIGHT)}`,
		`--screen-info={${width}x${height}}`,
		...(options.sandbox ? [] : ["--no-sandbox"]),
		...options.imageFlags.filter((flag) => !flag.startsWith("--disable-features=")),
		featureFlag(options.imageFlags),
	];
}
