/** The API with 100,000 ended sessions in the database: how long a full list takes, and how many requests a second one core answers. */
import { newSessionId } from "../src/base/ids.ts";
import type { Session } from "../src/sessions/session.ts";
import { SessionStore } from "../src/sessions/session-store.ts";
import { openStore } from "../src/store/database.ts";
import { median, startBenchService } from "./bench-service.ts";

const ROWS = 100_000;
const LISTS = 200;
const SECONDS = 3;
const AT_ONCE = 16;
const SPAN_MS = 29 * 24 * 60 * 60 * 1_000;
const RUN_MS = 60_000;

function endedSession(createdAt: number): Session {
	return {
		id: newSessionId(),
		accountId: 1,
		subscriptionId: 1,
		appKeyId: 1,
		startedByKind: "agent",
		name: "bench",
		imageId: "chrome",
		url: "https://example.com/",
		country: null,
		exitKind: "direct",
		screen: { width: 1366, height: 768 },
		state: { status: "ended", reason: "stopped", endedAt: createdAt + RUN_MS, detail: null },
		createdAt,
		readyAt: createdAt,
		lastSeenAt: createdAt,
		expiresAt: createdAt + RUN_MS,
		stopRequestedAt: null,
	};
}

function fill(dataDir: string): void {
	using store = openStore({ dataDir });
	const sessions = new SessionStore(store);
	const first = Date.now() - SPAN_MS;
	store.transaction(() => {
		for (let row = 0; row < ROWS; row++)
			sessions.insert(endedSession(first + Math.floor((row * (SPAN_MS - RUN_MS)) / ROWS)));
	});
}

await using service = await startBenchService({ spares: 0, prepare: fill });
const { headers, url } = service;

async function ask(path: string): Promise<unknown> {
	const answer: { status: string; data: unknown } = JSON.parse(
		await (await fetch(`${url}/v8${path}`, { headers })).text(),
	);
	if (answer.status !== "ok") throw new Error(`${path}: ${JSON.stringify(answer)}`);
	return answer.data;
}

async function requestsPerSecond(path: string): Promise<number> {
	const until = performance.now() + SECONDS * 1_000;
	let answered = 0;
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			while (performance.now() < until) {
				await ask(path);
				answered++;
			}
		}),
	);
	return answered / SECONDS;
}

const full = "/web/sessions?status=all&limit=200";
const listed = await ask(full);
if (!Array.isArray(listed) || listed.length !== 200) throw new Error("the list is not full");
const id = String(listed[0].id);
const times: number[] = [];
for (let list = 0; list < LISTS; list++) {
	const askedAt = performance.now();
	await ask(full);
	times.push(performance.now() - askedAt);
}
console.log(`with ${ROWS} ended sessions; the client shares the machine`);
console.log(`${"list of 200 sessions, median ms".padEnd(32)}${median(times).toFixed(2).padStart(10)}`);
const figures = [
	["list (live), requests/s", "/web/sessions"],
	["list of 200, requests/s", full],
	["read, requests/s", `/web/sessions/${id}`],
	["quota, requests/s", "/user/quota"],
	["usage, requests/s", "/web/usage"],
	["catalog, requests/s", "/image"],
] as const;
for (const [label, path] of figures)
	console.log(label.padEnd(32) + (await requestsPerSecond(path)).toFixed(0).padStart(10));
