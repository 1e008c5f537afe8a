/** The one shape of every answer: HTTP 200, and a `status` that decides (spec 7). */
import { Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Language } from "./language.ts";
import { messageFor } from "./messages/messages.ts";

function json(body: object, headers: Record<string, string> = {}): Response {
	return new Response(JSON.stringify(body), {
		status: 200,
		headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
	});
}

export function ok(fields: object): Response {
	return json({ status: "ok", ...fields });
}

function refused(refusal: Refusal, language: Language): Response {
	const { status, code, extra } = refusal;
	return json(
		{
			status,
			...(code === undefined ? {} : { code }),
			message: messageFor(language, refusal),
			...extra,
		},
		{ "content-language": language, vary: "Accept-Language" },
	);
}

/** The answer to anything that was thrown; a fault is logged once and says nothing of itself. */
export function failed(thrown: unknown, log: Log, language: Language): Response {
	if (thrown instanceof Refusal) return refused(thrown, language);
	log.error({ err: thrown }, "a request failed");
	return refused(new Refusal("fault", {}, { status: "error", code: "internal_error" }), language);
}
