/** The other texts of the configuration that mean more than themselves. Each parser answers undefined for what is wrong. */
import { parseDuration } from "../base/duration.ts";

const longestMs = 365 * 24 * 3_600_000;

/** Milliseconds, longer than zero and at most a year, so that every deadline stays a valid date. */
export function parsePositiveDuration(text: string): number | undefined {
	const ms = parseDuration(text);
	return ms === undefined || ms <= 0 || ms > longestMs ? undefined : ms;
}

const unitBytes = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;

function isUnit(unit: string): unit is keyof typeof unitBytes {
	return unit in unitBytes;
}

/** No Chrome opens a page in less; a smaller figure is a forgotten unit. */
export const leastMemoryBytes = 128 * unitBytes.MB;

/** Bytes of "2GB", "1500 MB" or "1.5GiB". Units count in 1024, as Docker and systemd read them. */
export function parseMemorySize(text: string): number | undefined {
	const [, amount, letter] = /^(\d+(?:\.\d+)?)\s*([KMGT])i?B$/i.exec(text.trim()) ?? [];
	const unit = `${letter?.toUpperCase()}B`;
	if (amount === undefined || !isUnit(unit)) return undefined;
	const bytes = Math.round(Number(amount) * unitBytes[unit]);
	return Number.isSafeInteger(bytes) && bytes >= leastMemoryBytes ? bytes : undefined;
}

/** The origin and path of an http(s) URL without trailing slash; no user, query or fragment. */
export function parsePublicUrl(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
	if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) return undefined;
	return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** The text itself when it is `protocol://[user:password@]host:port`. */
export function parseProxyUrl(text: string): string | undefined {
	if (!/^(?:https?|socks[45]):\/\/[^/?#\s]*:\d{1,5}\/?$/.test(text)) return undefined;
	const url = URL.parse(text);
	return url === null || url.hostname === "" || url.port === "0" ? undefined : text;
}

/** A proxy URL in which `{country}` and `{session}` stand for what a session asks for. */
export function parseProxyTemplate(text: string): string | undefined {
	const filled = text.replaceAll("{country}", "de").replaceAll("{session}", "s1");
	return /[{}]/.test(filled) || parseProxyUrl(filled) === undefined ? undefined : text;
}
