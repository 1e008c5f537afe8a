/**
 * barrel beside a bare Chromium of the same machine, in turn within one run: machines differ and are shared, so only the
 * ratios mean anything. Both are asked the same through the same client.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sleep } from "../src/base/wait.ts";
import { findBrowser } from "../src/catalog/browsers.ts";
import { type BenchService, median, startBenchService } from "./bench-service.ts";

const { values } = parseArgs({
	args: process.argv.slice(2),
	options: { rounds: { type: "string", default: "7" } },
});
const rounds = Number(values.rounds);
const ROUND_TRIPS = 1_000;
const MEGABYTE = 1024 * 1024;
const BULK_MB = 10;
/** What runs a bare Chromium as root, which it refuses. */
const ORDINARY_UID = 29_999;

interface Cdp {
	call(
		method: string,
		params?: { sessionId?: unknown; [name: string]: unknown },
	): Promise<Record<string, unknown>>;
	close(): void;
}

/** Retries until the address takes connections, as a client of a browser that is starting has to. */
async function connect(url: string): Promise<Cdp> {
	const socket = new WebSocket(url, { perMessageDeflate: false });
	const pending = new Map<number, (result: Record<string, unknown>) => void>();
	let lastId = 0;
	socket.addEventListener("message", ({ data }) => {
		const { id, result } = JSON.parse(String(data));
		pending.get(id)?.(result);
		pending.delete(id);
	});
	const opened = Promise.withResolvers<void>();
	socket.addEventListener("open", () => opened.resolve());
	socket.addEventListener("error", () => opened.reject(new Error("the socket did not open")));
	await opened.promise;
	return {
		call: (method, params = {}) => {
			const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
			const id = ++lastId;
			pending.set(id, resolve);
			const { sessionId, ...rest } = params;
			socket.send(
				JSON.stringify({ id, method, params: rest, ...(sessionId === undefined ? {} : { sessionId }) }),
			);
			return promise;
		},
		close: () => socket.close(),
	};
}

interface Browser extends AsyncDisposable {
	readonly cdp: Cdp;
	/** Milliseconds from the wish to the first CDP answer. */
	readonly startMs: number;
}

async function startBare(executable: string): Promise<Browser> {
	const profile = mkdtempSync("/tmp/bench-");
	chmodSync(profile, 0o777);
	const user =
		process.getuid?.() === 0
			? ["setpriv", `--reuid=${ORDINARY_UID}`, `--regid=${ORDINARY_UID}`, "--clear-groups"]
			: [];
	const flags = [
		"--headless=new",
		"--remote-debugging-port=0",
		`--user-data-dir=${profile}/profile`,
		...["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
		"about:blank",
	];
	const startedAt = performance.now();
	const [program = "", ...args] = [...user, executable, ...flags];
	const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, HOME: profile } });
	const exited = new Promise((resolve) => child.once("exit", resolve));
	const portFile = join(profile, "profile", "DevToolsActivePort");
	while (!existsSync(portFile) || !readFileSync(portFile, "utf8").includes("/")) await sleep(2);
	const [port, path] = readFileSync(portFile, "utf8").split("\n");
	const cdp = await connect(`ws://127.0.0.1:${port}${path}`);
	await cdp.call("Browser.getVersion");
	return {
		cdp,
		startMs: performance.now() - startedAt,
		[Symbol.asyncDispose]: async () => {
			cdp.close();
			child.kill("SIGKILL");
			await exited;
			await sleep(200);
			rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

async function startCaged({ url, headers }: BenchService): Promise<Browser> {
	const startedAt = performance.now();
	const answer = await fetch(`${url}/v8/web/sessions`, { method: "POST", headers });
	const session: { id: string; connectUrl: string } = JSON.parse(await answer.text());
	const cdp = await connect(session.connectUrl);
	await cdp.call("Browser.getVersion");
	const startMs = performance.now() - startedAt;
	return {
		cdp,
		startMs,
		[Symbol.asyncDispose]: async () => {
			cdp.close();
			await fetch(`${url}/v8/web/sessions/${session.id}`, { method: "DELETE", headers });
			await sleep(200);
		},
	};
}

interface Figures {
	startMs: number[];
	roundTripMs: number[];
	answerMbPerS: number[];
	requestMbPerS: number[];
}

async function measure(browser: Browser, figures: Figures): Promise<void> {
	const { cdp } = browser;
	figures.startMs.push(browser.startMs);
	const trips: number[] = [];
	for (let trip = 0; trip < ROUND_TRIPS; trip++) {
		const sentAt = performance.now();
		await cdp.call("Browser.getVersion");
		trips.push(performance.now() - sentAt);
	}
	figures.roundTripMs.push(median(trips));
	const { targetInfos } = await cdp.call("Target.getTargets");
	const targets: { type: string; targetId: string }[] = JSON.parse(JSON.stringify(targetInfos));
	const targetId = targets.find(({ type }) => type === "page")?.targetId;
	const { sessionId } = await cdp.call("Target.attachToTarget", { targetId, flatten: true });
	const evaluate = async (expression: string): Promise<number> => {
		const sentAt = performance.now();
		await cdp.call("Runtime.evaluate", { expression, returnByValue: true, sessionId });
		return (BULK_MB * 1_000) / (performance.now() - sentAt);
	};
	figures.answerMbPerS.push(await evaluate(`"x".repeat(${BULK_MB * MEGABYTE})`));
	figures.requestMbPerS.push(await evaluate(`"${"x".repeat(BULK_MB * MEGABYTE)}".length`));
}

const executable = findBrowser();
if (executable === undefined) throw new Error("there is no browser on this machine; run scripts/setup");
const none = (): Figures => ({ startMs: [], roundTripMs: [], answerMbPerS: [], requestMbPerS: [] });
const [barrel, bare] = [none(), none()];
const spareStartMs: number[] = [];
{
	await using service = await startBenchService({ spares: 0 });
	await using readyService = await startBenchService({ spares: 1 });
	// The first start of each reads the browser from disk and counts for neither.
	for (let round = 0; round <= rounds; round++) {
		const isCounted = round > 0;
		{
			await using browser = await startBare(executable);
			await measure(browser, isCounted ? bare : none());
		}
		{
			await using browser = await startCaged(service);
			await measure(browser, isCounted ? barrel : none());
		}
		// The spare had the time of the two above to get ready.
		await using browser = await startCaged(readyService);
		if (isCounted) spareStartMs.push(browser.startMs);
	}
}

const rows = [
	["start to first CDP answer, ms", "startMs", 0],
	["CDP round trip, ms", "roundTripMs", 3],
	["10 MB answer, MB/s", "answerMbPerS", 1],
	["10 MB request, MB/s", "requestMbPerS", 1],
] as const;
console.log(
	`medians of ${rounds} rounds\n${"".padEnd(32)}${"barrel".padStart(10)}${"bare".padStart(10)}${"ratio".padStart(8)}`,
);
const printed = [
	["start with a spare waiting, ms", spareStartMs, bare.startMs, 0],
	...rows.map(([label, figure, digits]) => [label, barrel[figure], bare[figure], digits] as const),
] as const;
for (const [label, oursAll, theirsAll, digits] of printed) {
	const [ours, theirs] = [median(oursAll), median(theirsAll)];
	const cells = [
		ours.toFixed(digits).padStart(10),
		theirs.toFixed(digits).padStart(10),
		(ours / theirs).toFixed(2).padStart(8),
	];
	console.log(label.padEnd(32) + cells.join(""));
}
process.exit(0);
