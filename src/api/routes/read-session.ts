import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";
import { sessionView } from "../session-view.ts";

/** GET /web/sessions/:id (spec 4.3). */
export function readSession(request: Request, id: string, context: RouteContext): Response {
	const { account } = context.authenticate(request);
	return ok({ data: sessionView(context.sessions.get(account.id, id), account, context.view) });
}
