import { describe, expect, test } from "vitest";
import { languages } from "../../../src/api/language.ts";
import { failed, ok } from "../../../src/api/reply.ts";
import { Refusal } from "../../../src/base/errors.ts";
import { silentLog } from "../../../src/base/log.ts";
import { captureLog } from "../../support/log-lines.ts";

const body = async (response: Response): Promise<unknown> => JSON.parse(await response.text());

describe("a refusal", () => {
	test.each(languages)("says in %s which language it is in", async (language) => {
		const refusal = new Refusal("slots-full", { limit: 3 }, { code: "quota_exceeded" });
		const response = failed(refusal, silentLog, language);
		expect(response.headers.get("content-language")).toBe(language);
		expect(response.headers.get("vary")).toBe("Accept-Language");
		expect(response.status).toBe(200);
		const message = expect.stringContaining("(3)");
		expect(await body(response)).toEqual({ status: "denied", code: "quota_exceeded", message });
	});

	test("carries its further fields", async () => {
		const extra = { retryAfterMs: 41_500 };
		const refusal = new Refusal("start-rate", { seconds: 42 }, { code: "rate_limited", extra });
		const message = "Too many sessions were started in a short time; the next one can start in 42 seconds.";
		expect(await body(failed(refusal, silentLog, "en"))).toEqual({
			status: "denied",
			code: "rate_limited",
			message,
			retryAfterMs: 41_500,
		});
	});
});

test("a fault is logged once and says nothing of itself, in the caller's language", async () => {
	const { log, lines } = captureLog();
	const response = failed(new Error("secret"), log, "de");
	expect(response.headers.get("content-language")).toBe("de");
	expect(await body(response)).toEqual({
		status: "error",
		code: "internal_error",
		message: "Auf dem Server ist ein Fehler aufgetreten.",
	});
	expect(lines()).toHaveLength(1);
});

test("a success has no sentence and no language", async () => {
	const response = ok({ data: [] });
	expect(response.headers.has("content-language")).toBe(false);
	expect(await body(response)).toEqual({ status: "ok", data: [] });
});
