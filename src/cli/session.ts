/** `barrel session …`: looks at rows and asks for ends; the daemon carries them out within a second. */
import { systemClock, toIso } from "../base/clock.ts";
import { OperatorError } from "../base/errors.ts";
import { HISTORY_MS } from "../sessions/session.ts";
import { type OperatorSession, SessionStore } from "../sessions/session-store.ts";
import type { CommonOptions } from "./command.ts";
import { print, table } from "./output.ts";
import { openWorkspace } from "./workspace.ts";

function listed({ session, email }: OperatorSession) {
	const { state } = session;
	const isEnded = state.status === "ended";
	return {
		id: session.id,
		account: email,
		name: session.name,
		image: session.imageId,
		status: state.status,
		startedByKind: session.startedByKind,
		createdAt: toIso(session.createdAt),
		endedAt: isEnded ? toIso(state.endedAt) : null,
		endedReason: isEnded ? state.reason : null,
		endedDetail: isEnded ? state.detail : null,
		expiresAt: toIso(session.expiresAt),
		lastseen: toIso(session.lastSeenAt),
	};
}

export function listSessions(options: CommonOptions & { account?: string; all?: boolean }): void {
	using workspace = openWorkspace(options);
	const email =
		options.account === undefined ? undefined : workspace.accounts.getByEmail(options.account).email;
	const endedSince = options.all ? systemClock.now() - HISTORY_MS : undefined;
	const sessions = new SessionStore(workspace.store).listForOperator({ email, endedSince }).map(listed);
	const cells = sessions.map((session) => [
		session.id,
		session.account,
		session.name,
		session.status === "ended" ? `ended (${session.endedReason})` : session.status,
		session.createdAt,
	]);
	print(options, sessions, table(["ID", "ACCOUNT", "NAME", "STATUS", "STARTED"], cells));
}

export function stopSession(id: string, options: CommonOptions): void {
	using workspace = openWorkspace(options);
	const sessions = new SessionStore(workspace.store);
	if (sessions.find(id) === undefined) throw new OperatorError(`there is no session ${id}`);
	const isAsked = sessions.requestStop(id, systemClock.now());
	const words = isAsked
		? `session ${id} ends within a second, or when the daemon starts`
		: `session ${id} has ended already`;
	print(options, { id, requested: isAsked }, [words]);
}
