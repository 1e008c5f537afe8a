/** Which extra Chrome flags an image may carry: any, but those that would open the session's cage or its single route. */

const refusedFlags: ReadonlySet<string> = new Set([
	"allow-sandbox-debugging",
	"disable-extensions-except",
	"disable-gpu-sandbox",
	"disable-namespace-sandbox",
	"disable-seccomp-filter-sandbox",
	"disable-setuid-sandbox",
	"force-webrtc-ip-handling-policy",
	"host-resolver-rules",
	"host-rules",
	"load-extension",
	"no-proxy-server",
	"no-sandbox",
	"no-zygote-sandbox",
	"single-process",
	"user-data-dir",
	"webrtc-ip-handling-policy",
]);

const refusedFamilies = ["proxy-", "remote-debugging-"] as const;

function flagName(flag: string): string | undefined {
	// Also keeps out a lone "--", after which Chrome takes everything for a URL.
	return /^--([a-z0-9][a-z0-9-]*)(?:=|$)/i.exec(flag)?.[1]?.toLowerCase();
}

function isRefused(name: string): boolean {
	return refusedFlags.has(name) || refusedFamilies.some((family) => name.startsWith(family));
}

/** The flag itself; undefined when it is none or one that would break the isolation of sessions. */
export function parseChromeFlag(flag: string): string | undefined {
	const name = flagName(flag);
	return name === undefined || isRefused(name) ? undefined : flag;
}

/** What the sentence about a wrong flag says. Never repeats the flag's value, which may hold a password. */
export function expectedChromeFlag(flag: unknown): string {
	const name = typeof flag === "string" ? flagName(flag) : undefined;
	return name !== undefined && isRefused(name)
		? `free of --${name}, which would break the isolation of sessions`
		: 'a Chrome flag such as "--mute-audio"';
}
