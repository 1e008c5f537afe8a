/** The pages beside the API. */
import { Elysia } from "elysia";

function text(body: string, status = 200): Response {
	return new Response(`${body}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** `version` is the daemon's own. */
export function createWeb(version: string) {
	return new Elysia()
		.onError(({ code }) => (code === "NOT_FOUND" ? text("There is no such page.", 404) : undefined))
		.get("/healthz", () => Response.json({ status: "ok", version }))
		.get("/", () =>
			text(`barrel ${version} is running. The API is below /v8; the README has a first session.`),
		)
		.get("/:lang/viewer", () =>
			text(
				"The live view comes with a later release. The session goes on; drive it over its connectUrl.",
				501,
			),
		);
}
