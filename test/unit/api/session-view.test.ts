import { describe, expect, test } from "vitest";
import { sessionView, startedView } from "../../../src/api/session-view.ts";
import { SessionTokens } from "../../../src/sessions/session-token.ts";
import { aSession } from "../sessions/a-session.ts";

const tokens = new SessionTokens("a secret");
const session = aSession();
const account = {
	id: 1,
	email: "a@example.org",
	firstname: "A",
	lastname: "B",
	verified: true,
	createdAt: 0,
};
const quota = { limit: 3, used: 1, remaining: 2 };

describe.each([
	["http://127.0.0.1:7788", "ws://127.0.0.1:7788"],
	["https://browsers.example", "wss://browsers.example"],
	["https://example.org/http/barrel", "wss://example.org/http/barrel"],
	["http://[::1]:7788", "ws://[::1]:7788"],
])("under %s", (publicUrl, webSocketUrl) => {
	test.each([
		["a start", startedView(session, quota, { publicUrl, tokens })],
		["a read", sessionView(session, account, { publicUrl, tokens })],
	])("%s answers addresses below it", (_, view) => {
		expect(view).toMatchObject({
			connectUrl: `${webSocketUrl}/web/${session.id}/cdp?token=${tokens.of(session.id)}`,
			liveViewUrl: `${publicUrl}/en/viewer?id=${session.id}`,
		});
	});
});

test.each(["stopped", "timeout", "disconnect", "runtime", "error", "lost"] as const)(
	"a session that ended as %s shows its reason and no connectUrl, and keeps the operator's detail to itself",
	(reason) => {
		const ended = aSession({ state: { status: "ended", reason, endedAt: 7, detail: "/run/secret path" } });
		const view = sessionView(ended, account, { publicUrl: "http://a.example", tokens });
		expect(view).toMatchObject({
			status: "ended",
			endedReason: reason,
			endedAt: "1970-01-01T00:00:00.007Z",
			connectUrl: null,
		});
		expect(JSON.stringify(view)).not.toContain("secret path");
	},
);
