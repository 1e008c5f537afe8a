/** The API's addresses (spec 4), below `/v8`. */
import { Elysia } from "elysia";
import { Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { docsPage } from "./docs-page.ts";
import { languageOf } from "./language.ts";
import { openApiDocument } from "./openapi.ts";
import { failed } from "./reply.ts";
import type { RouteContext } from "./route-context.ts";
import { listSessions } from "./routes/list-sessions.ts";
import { readCatalog } from "./routes/read-catalog.ts";
import { readQuota } from "./routes/read-quota.ts";
import { readSession } from "./routes/read-session.ts";
import { readUsage } from "./routes/read-usage.ts";
import { startSession } from "./routes/start-session.ts";
import { stopSession } from "./routes/stop-session.ts";

/** An Elysia app whose every answer is HTTP 200 with a `status`. Bodies are read by the routes, after the key was checked. */
export function createApi(context: RouteContext, log: Log) {
	return new Elysia({ prefix: "/v8", normalize: false })
		.onError(({ error, code, request, set }) => {
			// Elysia has put 500 here for a fault, and would change the answer to it.
			set.status = 200;
			const language = languageOf(request);
			if (code !== "NOT_FOUND") return failed(error, log, language);
			const { pathname } = new URL(request.url);
			const details = { method: request.method, path: pathname };
			return failed(new Refusal("path-unknown", details, { status: "error" }), log, language);
		})
		.post("/web/sessions", ({ request }) => startSession(request, context), { parse: "none" })
		.get("/web/sessions", ({ request }) => listSessions(request, context))
		.get("/web/sessions/:id", ({ request, params }) => readSession(request, params.id, context))
		.delete("/web/sessions/:id", ({ request, params }) => stopSession(request, params.id, context), {
			parse: "none",
		})
		.get("/web/usage", ({ request }) => readUsage(request, context))
		.get("/user/quota", ({ request }) => readQuota(request, context))
		.get("/image", () => readCatalog(context));
}

/** A page that may show nothing but itself. */
const docsPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/** The API's description, for programs and for people. */
export function createApiDocs({ view }: Pick<RouteContext, "view">, version: string) {
	return new Elysia()
		.get("/openapi.json", () => Response.json(openApiDocument(view.publicUrl, version)))
		.get("/docs", () => {
			const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": docsPolicy };
			return new Response(docsPage(view.publicUrl, version), { headers });
		});
}

/** The answer to a request beyond the client's rate (spec 7, rule 7). */
export function tooManyRequests(request: Request, log: Log): Response {
	return failed(new Refusal("request-rate", {}), log, languageOf(request));
}
