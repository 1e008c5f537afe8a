/** The one shape of every answer: HTTP 200, and a `status` that decides (spec 7). */
import { Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { english } from "./messages/en.ts";
import { messageFor } from "./messages/messages.ts";

function json(body: object): Response {
	return new Response(JSON.stringify(body), {
		status: 200,
		headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
	});
}

export function ok(fields: object): Response {
	return json({ status: "ok", ...fields });
}

function refused(refusal: Refusal): Response {
	const { status, code, extra } = refusal;
	return json({
		status,
		...(code === undefined ? {} : { code }),
		message: messageFor(english, refusal),
		...extra,
	});
}

/** The answer to anything that was thrown; a fault is logged once and says nothing of itself. */
export function failed(thrown: unknown, log: Log): Response {
	if (thrown instanceof Refusal) return refused(thrown);
	log.error({ err: thrown }, "a request failed");
	return refused(new Refusal("fault", {}, { status: "error", code: "internal_error" }));
}
