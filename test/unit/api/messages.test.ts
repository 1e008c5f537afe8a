import { describe, expect, test } from "vitest";
import { type Language, languages } from "../../../src/api/language.ts";
import { messageFor } from "../../../src/api/messages/messages.ts";
import { Refusal, type RefusalKey, type RefusalTexts } from "../../../src/base/errors.ts";

/** Values that no sentence has of its own. */
const samples: RefusalTexts = {
	"key-missing": {},
	"key-invalid": {},
	"account-unverified": {},
	"plan-without-api": {},
	"session-unknown": {},
	"path-unknown": { method: "PUT", path: "/v8/nowhere" },
	"body-not-json": {},
	"body-not-object": {},
	"body-too-large": { limit: "7 MB" },
	"field-unknown": { field: "colour" },
	"name-invalid": {},
	"image-invalid": {},
	"image-not-supported": { image: "netscape" },
	"url-invalid": {},
	"screen-invalid": {},
	"country-invalid": {},
	"country-unknown": { country: "atlantis" },
	"country-with-proxy": {},
	"egress-invalid": {},
	"egress-with-proxy": {},
	"proxy-invalid": {},
	"proxy-private": {},
	"residential-not-configured": {},
	"residential-country-unknown": { country: "atlantis" },
	"idempotency-key-invalid": {},
	"query-limit-invalid": {},
	"query-status-invalid": {},
	"slots-full": { limit: 77 },
	"no-plan": {},
	"image-restricted": { image: "netscape" },
	"plan-without-locations": {},
	"plan-without-own-proxy": {},
	"plan-without-residential": {},
	"cycle-sessions-used": { limit: 77 },
	"runtime-used": {},
	"residential-used": {},
	"start-rate": { seconds: 42 },
	"request-rate": {},
	"browser-missing": { image: "netscape" },
	"storage-full": {},
	"shutting-down": {},
	fault: {},
};

/** The names of fields and parameters that a sentence is about, the same in every language. */
const fields: Partial<Record<RefusalKey, readonly string[]>> = {
	"key-missing": ["Authorization: Bearer <key>"],
	"name-invalid": ["name", "64"],
	"image-invalid": ["image", "128"],
	"url-invalid": ["url", "http://", "https://"],
	"screen-invalid": ["screen", "width", "height", "320", "1920", "480", "1080"],
	"country-invalid": ["country", "de-berlin"],
	"country-unknown": ["country", "GET /image"],
	"country-with-proxy": ["country", "proxy"],
	"egress-invalid": ["egress", "residential"],
	"egress-with-proxy": ["egress", "proxy"],
	"proxy-invalid": ["proxy", "protocol://[user:password@]host:port", "http", "https", "socks4", "socks5"],
	"proxy-private": ["proxy"],
	"residential-not-configured": ["egress", "residential"],
	"residential-country-unknown": ["country", "GET /image"],
	"idempotency-key-invalid": ["idempotencyKey", "128"],
	"query-limit-invalid": ["limit", "1", "200"],
	"query-status-invalid": ["status", '"all"'],
	"plan-without-locations": ["country"],
	"plan-without-own-proxy": ["proxy"],
	"plan-without-residential": ["egress"],
};

function isKey(text: string): text is RefusalKey {
	return Object.hasOwn(samples, text);
}

const keys = Object.keys(samples).filter(isKey);
const sentence = (language: Language, key: RefusalKey) =>
	messageFor(language, new Refusal(key, samples[key]));

describe.each(languages)("in %s", (language) => {
	test.each(keys)("%s is one whole sentence that names its values and fields", (key) => {
		const text = sentence(language, key);
		expect(text).not.toMatch(/undefined|NaN|\[object|\$\{|\n| {2}/);
		expect(text).toMatch(/^[^\s].{10,180}\.$/);
		expect(text.slice(0, -1)).not.toMatch(/[.!?] [A-ZÄÖÜÉÀ]/);
		for (const value of Object.values(samples[key])) expect(text).toContain(String(value));
		for (const field of fields[key] ?? []) expect(text).toContain(field);
	});
});

test.each(keys)("%s is translated into every language", (key) => {
	expect(new Set(languages.map((language) => sentence(language, key))).size).toBe(languages.length);
});

describe("the wait of the start rate", () => {
	const waits = (seconds: number) =>
		languages.map((language) => messageFor(language, new Refusal("start-rate", { seconds })));

	test.each([
		[1, [/ 1 second\.$/, / 1 Sekunde starten\.$/, /\s1\sseconde\.$/, / 1 segundo\.$/]],
		[
			90,
			[
				/ 1 minute.+30 seconds\./,
				/ 1 Minute.+30 Sekunden /,
				/\s1\sminute.+30\ssecondes\./,
				/ 1 minuto.+30 segundos\./,
			],
		],
		[7_200, [/ 2 hours\.$/, / 2 Stunden starten\.$/, /\s2\sheures\.$/, / 2 horas\.$/]],
		[86_400, [/ 24 hours\.$/, / 24 Stunden starten\.$/, /\s24\sheures\.$/, / 24 horas\.$/]],
	])("of %d seconds is told in words", (seconds, expected) => {
		for (const [index, text] of waits(seconds).entries()) expect(text).toMatch(expected[index] ?? "?");
	});
});
