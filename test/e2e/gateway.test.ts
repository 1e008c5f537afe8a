/** Many sessions and many connections one after the other: nothing grows. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectCdp } from "../support/cdp.ts";
import {
	openDescriptors,
	processesNaming,
	runAsChoices,
	startTestDaemon,
	type TestDaemon,
} from "../support/daemon.ts";
import { descendantsOf, residentMb, stillRunning } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

const WARM_UP = 3;
const STARTS = 50;
const SLOTS = 3;
const CONNECTIONS = 100;
const MANY_MS = 300_000;
const SETTLE_MS = 20_000;

/** Of this test's sessions alone, when the daemon is root. */
const FIRST_UID = 51_000;

const config = `
[sessions]
spares = 0
first_uid = ${FIRST_UID}
uid_count = 100
[limits]
requests_per_second = 1000
burst = 1000
starts_per_minute = 1000
starts_per_hour = 1000
`;

/** The entries of everybody's scratch folders that belong to the daemon's user or its sessions; others come and go. */
function scratchOf(daemon: TestDaemon): string[] {
	const daemonUid = statSync(`/proc/${daemon.pid}`).uid;
	const isOurs = (uid: number) =>
		daemonUid === 0 ? uid >= FIRST_UID && uid < FIRST_UID + 100 : uid === daemonUid;
	return ["/tmp", "/var/tmp", "/dev/shm"].flatMap((folder) =>
		readdirSync(folder).filter((name) => {
			try {
				return isOurs(statSync(join(folder, name)).uid);
			} catch {
				return false;
			}
		}),
	);
}

const figureNames = ["processes", "files", "scratch", "descriptors"] as const;

function figuresOf(daemon: TestDaemon): Record<(typeof figureNames)[number], number> {
	return {
		processes: stillRunning(descendantsOf(daemon.pid)).length + processesNaming(daemon.runDir).length,
		files: readdirSync(daemon.runDir, { recursive: true }).length,
		scratch: scratchOf(daemon).length,
		descriptors: openDescriptors(daemon.pid),
	};
}

/** Starts, uses and stops sessions, as many at a time as there are slots. */
async function useSessions(daemon: TestDaemon, count: number): Promise<void> {
	let left = count;
	const useSome = async () => {
		while (left-- > 0) {
			const { id, connectUrl } = await daemon.api.start();
			const cdp = await connectCdp(connectUrl);
			const page = await cdp.firstPage();
			expect(await cdp.evaluate("6 * 7", page)).toBe(42);
			if (left % 2 === 0) await cdp.close();
			await daemon.api.stop(id);
			await cdp.closed;
		}
	};
	await Promise.all(Array.from({ length: SLOTS }, useSome));
}

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	test(`${STARTS} sessions leave nothing behind`, { timeout: MANY_MS }, async () => {
		await using daemon = await startTestDaemon({ as, config });
		await useSessions(daemon, WARM_UP);
		const isEmpty = () => {
			const { processes, files } = figuresOf(daemon);
			return processes + files === 0;
		};
		await waitFor(isEmpty, "the first sessions are gone", SETTLE_MS);
		const before = figuresOf(daemon);
		const memoryBefore = residentMb(daemon.pid);
		await useSessions(daemon, STARTS);
		const grown = () => {
			const now = figuresOf(daemon);
			return figureNames.filter((name) => now[name] > before[name]);
		};
		await waitFor(() => grown().length === 0, "everything is as it was", SETTLE_MS).catch(() => {});
		const after = figuresOf(daemon);
		console.log(JSON.stringify({ as, before, after, memoryBefore, memoryAfter: residentMb(daemon.pid) }));
		expect(grown()).toEqual([]);
	});

	test(`${CONNECTIONS} connections to one session leave the daemon's and the shim's descriptors flat`, async () => {
		await using daemon = await startTestDaemon({ as, config });
		const { id, connectUrl } = await daemon.api.startRunning();
		const shim =
			descendantsOf(daemon.pid).find(({ commandLine }) => commandLine === "/opt/barrel/barrel shim")?.pid ??
			0;
		const connect = async (count: number) => {
			for (let i = 0; i < count; i++) {
				const cdp = await connectCdp(connectUrl);
				await cdp.send("Browser.getVersion");
				if (i % 2 === 0) await cdp.close();
				else cdp.socket.terminate();
				await cdp.closed;
			}
		};
		await connect(WARM_UP);
		const descriptors = () => [openDescriptors(daemon.pid), openDescriptors(shim)];
		let lowest = descriptors();
		await waitFor(() => {
			const now = descriptors();
			const isSettled = now.every((count, i) => count === lowest[i]);
			lowest = now;
			return isSettled;
		}, "the first connections are gone");
		const before = descriptors();
		await connect(CONNECTIONS);
		await waitFor(
			() => descriptors().every((count, i) => count <= (before[i] ?? 0)),
			"every socket is gone",
		).catch(() => {});
		console.log(JSON.stringify({ as, before, after: descriptors() }));
		for (const [i, count] of descriptors().entries()) expect(count).toBeLessThanOrEqual(before[i] ?? 0);
		await daemon.api.stop(id);
	});
});
