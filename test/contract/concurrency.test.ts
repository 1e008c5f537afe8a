/** Spec 4.1 and 8 under many calls at the same moment. */
import { expect, test } from "vitest";
import { startContractDaemon } from "../support/contract-daemon.ts";

const CALLS = 200;

function countBy(values: readonly unknown[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
	return counts;
}

test("200 starts at the same moment on 3 slots give exactly 3 sessions", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "team" });
	const users = [user, user.withAnotherKey()];
	const answers = await Promise.all(
		Array.from({ length: CALLS }, (_, index) => (users[index % 2] ?? user).call("POST", "/web/sessions", {})),
	);
	expect(countBy(answers.map(({ body }) => body["code"] ?? body["status"]))).toEqual({
		ok: 3,
		quota_exceeded: CALLS - 3,
	});
	expect(new Set(answers.flatMap(({ body }) => body["id"] ?? [])).size).toBe(3);
	expect(daemon.sessions.list(user.account.id, { all: true, limit: 200 })).toHaveLength(3);
	expect(daemon.host.opened()).toHaveLength(3);
});

test("200 starts through a proxy that has to be looked up first give exactly 3 sessions", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "metered" });
	const body = { proxy: "http://slow.example:8080" };
	const answers = await Promise.all(
		Array.from({ length: CALLS }, () => user.call("POST", "/web/sessions", body)),
	);
	expect(countBy(answers.map((answer) => answer.body["code"] ?? answer.body["status"]))).toEqual({
		ok: 3,
		quota_exceeded: CALLS - 3,
	});
	expect(daemon.host.opened()).toHaveLength(3);
});

test.each([
	["", {}],
	[" through a proxy that has to be looked up first", { proxy: "http://slow.example:8080" }],
])("200 starts with one idempotency key%s give one session and 200 equal answers", async (_, body) => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser({ plan: "full" });
	const answers = await Promise.all(
		Array.from({ length: CALLS }, () => user.call("POST", "/web/sessions", { ...body, idempotencyKey: "k" })),
	);
	expect(answers[0]?.body["status"]).toBe("ok");
	expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
	expect(daemon.sessions.list(user.account.id, { all: true, limit: 200 })).toHaveLength(1);
	expect(daemon.host.opened()).toHaveLength(1);
});

test("200 starts at the start rate's end let through as many as are left", async () => {
	await using daemon = await startContractDaemon({ starts: { perMinute: 7, perHour: 99, perDay: 99 } });
	const user = await daemon.addUser({ plan: "wide" });
	const answers = await Promise.all(
		Array.from({ length: CALLS }, () => user.call("POST", "/web/sessions", {})),
	);
	expect(countBy(answers.map(({ body }) => body["code"] ?? body["status"]))).toEqual({
		ok: 7,
		rate_limited: CALLS - 7,
	});
});

test("a session that is stopped 200 times at the same moment ends once", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const id = await user.startRunning();
	const answers = await Promise.all(
		Array.from({ length: CALLS }, () => user.call("DELETE", `/web/sessions/${id}`)),
	);
	expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"status":"ok"}']));
	expect(daemon.logged.lines().filter(({ msg }) => msg === "session ended")).toHaveLength(1);
});
