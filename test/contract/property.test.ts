/**
 * Whatever is sent to whichever endpoint, the answer is HTTP 200 with JSON of a known status that fits the published schemas,
 * a refusal leaves nothing behind and nothing is a fault. The calls depend on the seed alone: a failure can be repeated.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { integer } from "../../src/store/columns.ts";
import { answerOf } from "../support/contract-answer.ts";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { residentialOf } from "../support/contract-offer.ts";
import { isObject } from "../support/published-answers.ts";
import { type Call, call } from "../support/random-calls.ts";

const SEED = 20_260_301;
const CALLS = 5_000;
const MOST_LIVE = 20;

/** What the calls so far should have left in the database. */
class Expected {
	readonly started = new Set<string>();
	readonly live = new Map<string, User>();
	readonly statuses = new Map<string, number>();
}

function initOf(
	method: string,
	{ headers: given, body: content }: Call,
	user: User | undefined,
): RequestInit {
	const authorization = user === undefined ? {} : { authorization: `Bearer ${user.key}` };
	const payload =
		content === undefined || method === "GET"
			? {}
			: { body: typeof content === "string" ? content : Buffer.from(content) };
	return { method, headers: { ...given, ...authorization }, ...payload };
}

async function stop(expected: Expected, id: string): Promise<void> {
	const answer = await expected.live.get(id)?.call("DELETE", `/web/sessions/${id}`);
	expect(answer?.body).toEqual({ status: "ok" });
	expected.live.delete(id);
}

/** Sends the call, checks its answer and notes what it should have done. */
async function send(
	daemon: ContractDaemon,
	users: ReadonlyMap<string, User>,
	{ expected, sent }: { expected: Expected; sent: Call },
): Promise<void> {
	const [method, template] = sent.target;
	const ids = [...expected.started];
	const id =
		ids.at(-1 - (sent.pick % Math.max(1, Math.min(ids.length, 30)))) ?? "brl-v-v7-00000000000000000000";
	const path = template.replace("<id>", id);
	const user = users.get(sent.who);
	const { body: answer } = await answerOf(`${daemon.url}/v8`, path + sent.query, initOf(method, sent, user));
	const outcome = String(answer["code"] ?? answer["status"]);
	expected.statuses.set(outcome, (expected.statuses.get(outcome) ?? 0) + 1);
	if (outcome === "internal_error") throw new Error("a fault");
	if (answer["status"] !== "ok" || user === undefined) return;
	if (method === "DELETE") expected.live.delete(id);
	if (method !== "POST") return;
	const startedId = String(answer["id"]);
	if (expected.started.has(startedId)) return;
	expected.started.add(startedId);
	expected.live.set(startedId, user);
	const { data } = (await user.call("GET", `/web/sessions/${startedId}`)).body;
	if (!isObject(data)) throw new Error("a session that cannot be read");
	expect(data).toMatchObject({ name: answer["name"], image: answer["image"], screen: answer["screen"] });
}

test(`${CALLS} random calls: every answer fits, nothing is left behind and nothing is a fault`, async () => {
	await using daemon = await startContractDaemon({ residential: residentialOf(["de", "us"]) });
	daemon.host.isReadyAtOnce = true;
	const users = new Map<string, User>();
	for (const plan of ["full", "team", "five", "free"]) users.set(plan, await daemon.addUser({ plan }));
	const rows = daemon.store.query(
		{ all_rows: integer, live: integer },
		"SELECT count(*) AS all_rows, count(*) FILTER (WHERE status <> 'ended') AS live FROM sessions",
	);
	const expected = new Expected();
	const property = fc.asyncProperty(call, async (sent) => {
		await send(daemon, users, { expected, sent });
		expect(rows.get()).toEqual({ all_rows: expected.started.size, live: expected.live.size });
		if (expected.live.size >= MOST_LIVE) for (const id of expected.live.keys()) await stop(expected, id);
	});
	await fc.assert(property, { seed: SEED, numRuns: CALLS, endOnFailure: true });
	for (const id of expected.live.keys()) await stop(expected, id);
	expect(rows.get()).toEqual({ all_rows: expected.started.size, live: 0 });
	expect(daemon.logged.lines().filter(({ level }) => level >= 40)).toEqual([]);
	// The calls are of every kind: most nearly valid, and many of them good.
	expect(expected.started.size).toBeGreaterThan(CALLS / 20);
	const outcomes = [
		"ok",
		"denied",
		"upgrade",
		"error",
		"invalid_arguments",
		"image_not_supported",
		"image_restricted",
		"quota_exceeded",
	];
	expect(new Set(expected.statuses.keys())).toEqual(new Set(outcomes));
}, 120_000);
