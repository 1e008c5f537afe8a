import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";

/** DELETE /web/sessions/:id (spec 4.4). */
export function stopSession(request: Request, id: string, context: RouteContext): Response {
	const { account } = context.authenticate(request);
	context.sessions.stop(account.id, id);
	return ok({});
}
