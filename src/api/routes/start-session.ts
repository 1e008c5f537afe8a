import { readJsonBody } from "../read-body.ts";
import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";
import { startedView } from "../session-view.ts";

/** POST /web/sessions (spec 4.1). */
export async function startSession(request: Request, context: RouteContext): Promise<Response> {
	const { account, appKeyId } = context.authenticate(request);
	const body = await readJsonBody(request);
	const caller = { accountId: account.id, appKeyId, startedByKind: "agent" } as const;
	const { session, quota } = await context.sessions.start(caller, body);
	return ok(startedView(session, quota, context.view));
}
