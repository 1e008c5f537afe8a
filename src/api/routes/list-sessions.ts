import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Refusal } from "../../base/errors.ts";
import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";
import { sessionView } from "../session-view.ts";

const DEFAULT_LIMIT = 50;

/** As the texts of a query string are read. */
export const listQuerySchema = Type.Object({
	status: Type.Optional(
		Type.Literal("all", { description: "Adds the sessions that ended in the last 30 days." }),
	),
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_LIMIT })),
});

function checked(key: "query-status-invalid" | "query-limit-invalid", schema: TSchema, value: unknown): void {
	if (value !== undefined && !Value.Check(schema, value))
		throw new Refusal(key, {}, { code: "invalid_arguments" });
}

/** GET /web/sessions (spec 4.2). */
export function listSessions(request: Request, context: RouteContext): Response {
	const { account } = context.authenticate(request);
	const query = new URL(request.url).searchParams;
	const status = query.get("status") ?? undefined;
	const text = query.get("limit") ?? undefined;
	// Only plain digits: Number() would also take "1e2", " 7" and the empty text.
	const limit = text === undefined ? undefined : /^\d+$/.test(text) ? Number(text) : Number.NaN;
	checked("query-status-invalid", listQuerySchema.properties.status, status);
	checked("query-limit-invalid", listQuerySchema.properties.limit, limit);
	const options = { all: status === "all", limit: limit ?? DEFAULT_LIMIT };
	const sessions = context.sessions.list(account.id, options);
	return ok({ data: sessions.map((session) => sessionView(session, account, context.view)) });
}
