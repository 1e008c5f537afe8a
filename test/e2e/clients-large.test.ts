/** Messages of tens of megabytes, and a client that stops reading them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CdpConnection, connectCdp } from "../support/cdp.ts";
import { openDescriptors, sessionFolders, startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { type HeldProgram, startProgram } from "../support/node-program.ts";
import { descendantsOf, residentMb } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

const MB = 1024 * 1024;
const LARGE_MS = 120_000;
const ROUND_TRIPS = 300;
const MOST_SLOWDOWN = 5;
const MOST_ROUND_TRIP_MS = 250;
const MOST_GROWTH_MB = 200;

let daemon: TestDaemon;

beforeAll(async () => {
	daemon = await startTestDaemon({ config: "[sessions]\nspares = 0" });
});
afterAll(async () => {
	await daemon?.[Symbol.asyncDispose]();
});

async function medianRoundTripMs(cdp: CdpConnection, page: string): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < ROUND_TRIPS; i++) {
		const before = performance.now();
		await cdp.evaluate("1", page);
		times.push(performance.now() - before);
	}
	return times.sort((a, b) => a - b)[ROUND_TRIPS / 2] ?? Number.POSITIVE_INFINITY;
}

async function attachTo(url: string, cdp: CdpConnection): Promise<string> {
	const { targetInfos } = await cdp.send("Target.getTargets");
	const targets: { url: string; targetId: string }[] = JSON.parse(JSON.stringify(targetInfos));
	const targetId = targets.find((target) => target.url === url)?.targetId;
	return String((await cdp.send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"]);
}

/** A client that reads no more while three answers of 60 MB wait for it; `observer` is another of the same session. */
async function startStalledClient(connectUrl: string, observer: CdpConnection): Promise<HeldProgram> {
	const count = 3;
	const program = await startProgram("stalled", "stall", { connectUrl, bytes: 60 * MB, count });
	const page = await attachTo("about:blank#stalled", observer);
	await waitFor(
		async () => (await observer.evaluate("globalThis.answered", page)) === count,
		"the page has given every answer",
		60_000,
	);
	return program;
}

const shims = () =>
	descendantsOf(daemon.pid).filter(({ commandLine }) => commandLine === "/opt/barrel/barrel shim");
const shimMb = () => Math.max(...shims().map(({ pid }) => residentMb(pid)));
const shimDescriptors = () => shims().map(({ pid }) => openDescriptors(pid));

test.each([1, 60, 90])("passes an answer of %i MB", { timeout: LARGE_MS }, async (size) => {
	const session = await daemon.api.start();
	const cdp = await connectCdp(session.connectUrl);
	const answer = String(await cdp.evaluate(`"é".padStart(${size * MB}, "x") + "end"`, await cdp.firstPage()));
	expect(answer.length).toBe(size * MB + 3);
	expect(answer.slice(-6)).toBe("xxéend");
	await daemon.api.stop(session.id);
});

test.each([1, 50, 90])("passes a request of %i MB", { timeout: LARGE_MS }, async (size) => {
	const session = await daemon.api.start();
	const cdp = await connectCdp(session.connectUrl);
	const page = await cdp.firstPage();
	const text = "x".repeat(size * MB);
	expect(
		await cdp.evaluate(
			`(() => { const text = "${text}end"; return [text.length, text.slice(-4)]; })()`,
			page,
		),
	).toEqual([size * MB + 3, "xend"]);
	await daemon.api.stop(session.id);
});

test("a client that stops reading slows nobody and costs no memory", { timeout: LARGE_MS }, async () => {
	const [shared, other] = [await daemon.api.start(), await daemon.api.start()];
	const neighbour = await connectCdp(shared.connectUrl);
	const stranger = await connectCdp(other.connectUrl);
	const clients = [
		{ cdp: neighbour, page: await neighbour.newPage() },
		{ cdp: stranger, page: await stranger.newPage() },
	];
	const measure = async () => {
		const medians: number[] = [];
		for (const { cdp, page } of clients) medians.push(await medianRoundTripMs(cdp, page));
		return medians;
	};
	await measure();
	const before = { medians: await measure(), daemonMb: residentMb(daemon.pid), shimMb: shimMb() };
	const descriptors = openDescriptors(daemon.pid);
	const ofShims = shimDescriptors();
	expect(ofShims).toHaveLength(2);

	using stalled = await startStalledClient(shared.connectUrl, neighbour);
	const during = { medians: await measure(), daemonMb: residentMb(daemon.pid), shimMb: shimMb() };
	expect(openDescriptors(daemon.pid)).toBeGreaterThan(descriptors);
	const again = { medians: await measure(), daemonMb: residentMb(daemon.pid), shimMb: shimMb() };
	console.log(JSON.stringify({ before, during, again }));
	for (const { medians, daemonMb, shimMb } of [during, again]) {
		for (const [i, median] of medians.entries()) {
			expect(median / (before.medians[i] ?? 0)).toBeLessThan(MOST_SLOWDOWN);
			expect(median).toBeLessThan(MOST_ROUND_TRIP_MS);
		}
		expect(daemonMb - before.daemonMb).toBeLessThan(MOST_GROWTH_MB);
		expect(shimMb - before.shimMb).toBeLessThan(MOST_GROWTH_MB);
	}

	stalled.kill();
	await waitFor(
		() => openDescriptors(daemon.pid) <= descriptors,
		"the daemon has let go of the client's sockets",
	);
	await waitFor(
		() => shimDescriptors().every((count, i) => count <= (ofShims[i] ?? 0)),
		"the shims have, too",
	);
	for (const { cdp, page } of clients) expect(await cdp.evaluate("6 * 7", page)).toBe(42);
	for (const { id } of [shared, other]) await daemon.api.stop(id);
});

test("ends a session whose client reads nothing", { timeout: LARGE_MS }, async () => {
	const descriptors = openDescriptors(daemon.pid);
	const session = await daemon.api.start();
	const cdp = await connectCdp(session.connectUrl);
	using _stalled = await startStalledClient(session.connectUrl, cdp);
	await daemon.api.stop(session.id);
	expect(await cdp.closed).toEqual({ code: 4001, reason: "stopped" });
	await waitFor(() => sessionFolders(daemon.runDir).length === 0, "the folder is gone");
	await waitFor(
		() => openDescriptors(daemon.pid) <= descriptors,
		"the daemon has let go of the client's sockets",
	);
	expect(shims()).toEqual([]);
});
