/** The API's addresses (spec 4), below `/v8`. */
import { Elysia } from "elysia";
import { Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { failed } from "./reply.ts";
import type { RouteContext } from "./route-context.ts";
import { listSessions } from "./routes/list-sessions.ts";
import { readCatalog } from "./routes/read-catalog.ts";
import { readSession } from "./routes/read-session.ts";
import { startSession } from "./routes/start-session.ts";
import { stopSession } from "./routes/stop-session.ts";

/** An Elysia app whose every answer is HTTP 200 with a `status`. Bodies are read by the routes, after the key was checked. */
export function createApi(context: RouteContext, log: Log) {
	return new Elysia({ prefix: "/v8", normalize: false })
		.onError(({ error, code, request, set }) => {
			// Elysia has put 500 here for a fault, and would change the answer to it.
			set.status = 200;
			if (code !== "NOT_FOUND") return failed(error, log);
			const { pathname } = new URL(request.url);
			return failed(
				new Refusal("path-unknown", { method: request.method, path: pathname }, { status: "error" }),
				log,
			);
		})
		.post("/web/sessions", ({ request }) => startSession(request, context), { parse: "none" })
		.get("/web/sessions", ({ request }) => listSessions(request, context))
		.get("/web/sessions/:id", ({ request, params }) => readSession(request, params.id, context))
		.delete("/web/sessions/:id", ({ request, params }) => stopSession(request, params.id, context), {
			parse: "none",
		})
		.get("/image", () => readCatalog(context));
}
