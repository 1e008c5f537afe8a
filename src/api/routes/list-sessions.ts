import { Refusal } from "../../base/errors.ts";
import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";
import { sessionView } from "../session-view.ts";

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 200;

function invalid(field: string, expected: string): Refusal {
	return new Refusal("query-invalid", { field, expected }, { code: "invalid_arguments" });
}

function parseLimit(text: string | null): number {
	if (text === null) return DEFAULT_LIMIT;
	const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
	if (limit < 1 || limit > LARGEST_LIMIT) throw invalid("limit", "a whole number from 1 to 200");
	return limit;
}

/** GET /web/sessions (spec 4.2). */
export function listSessions(request: Request, context: RouteContext): Response {
	const { account } = context.authenticate(request);
	const query = new URL(request.url).searchParams;
	const status = query.get("status");
	if (status !== null && status !== "all") throw invalid("status", '"all", or left out');
	const options = { all: status === "all", limit: parseLimit(query.get("limit")) };
	const sessions = context.sessions.list(account.id, options);
	return ok({ data: sessions.map((session) => sessionView(session, account, context.view)) });
}
