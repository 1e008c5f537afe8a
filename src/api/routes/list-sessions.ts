import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Refusal } from "../../base/errors.ts";
import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";
import { sessionView } from "../session-view.ts";

const DEFAULT_LIMIT = 50;

/** As the texts of a query string are read. */
export const listQuerySchema = Type.Object({
	status: Type.Optional(Type.Literal("all", { description: "Adds the sessions that ended in the last 30 days." })),
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: DEFAULT_LIMIT })),
});

const expectations = { status: '"all", or left out', limit: "a whole number from 1 to 200" } as const;

function checked(field: keyof typeof expectations, schema: TSchema, value: unknown): void {
	if (value !== undefined && !Value.Check(schema, value))
		throw new Refusal("query-invalid", { field, expected: expectations[field] }, { code: "invalid_arguments" });
}

/** GET /web/sessions (spec 4.2). */
export function listSessions(request: Request, context: RouteContext): Response {
	const { account } = context.authenticate(request);
	const query = new URL(request.url).searchParams;
	const status = query.get("status") ?? undefined;
	const text = query.get("limit") ?? undefined;
	// Only plain digits: Number() would also take "1e2", " 7" and the empty text.
	const limit = text === undefined ? undefined : /^\d+$/.test(text) ? Number(text) : Number.NaN;
	checked("status", listQuerySchema.properties.status, status);
	checked("limit", listQuerySchema.properties.limit, limit);
	const options = { all: status === "all", limit: limit ?? DEFAULT_LIMIT };
	const sessions = context.sessions.list(account.id, options);
	return ok({ data: sessions.map((session) => sessionView(session, account, context.view)) });
}
