/** A browser that waits serves a start like one that is started for it, only sooner. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectCdp } from "../support/cdp.ts";
import {
	processesNaming,
	runAsChoices,
	sessionFolders,
	startTestDaemon,
	type TestDaemon,
} from "../support/daemon.ts";
import { type Site, startSite } from "../support/site.ts";
import { waitFor } from "../support/wait-for.ts";

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	let site: Site;
	let daemon: TestDaemon;
	/** The spares that are none any more. */
	const used = new Set<string>();

	/** The ids of the browsers that have waited so far, as the daemon logs them. */
	function spares(): string[] {
		return [...daemon.log().matchAll(/"spare":"(brl-v-v7-[0-9a-z]+)"/g)].map(([, id = ""]) => id);
	}

	/** Waits for a spare that nobody has used. */
	async function untilSpare(): Promise<string> {
		const fresh = () => spares().find((id) => !used.has(id));
		await waitFor(() => fresh() !== undefined, "a spare is ready");
		return fresh() ?? "";
	}

	beforeAll(async () => {
		site = await startSite();
		daemon = await startTestDaemon({
			as,
			allow: [site.target],
			environment: { BARREL__SESSIONS__SPARES: "1", BARREL_LOG_LEVEL: "debug" },
		});
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		await site?.[Symbol.asyncDispose]();
	});

	test("a start takes the waiting browser, with its url, viewport and way out, and another one is made ready", async () => {
		const spare = await untilSpare();
		const session = await daemon.api.start({ url: `${site.url}/text` });
		expect(session.id).toBe(spare);
		used.add(spare);
		const cdp = await connectCdp(session.connectUrl);
		const page = await cdp.firstPage();
		expect(await cdp.evaluate("document.title", page)).toBe("Text");
		expect(await cdp.evaluate("[innerWidth, innerHeight, navigator.onLine]", page)).toEqual([
			1366,
			768,
			true,
		]);
		await untilSpare();
		await daemon.api.stop(session.id);
		expect(await cdp.closed).toEqual({ code: 4001, reason: "stopped" });
		await waitFor(() => !sessionFolders(daemon.runDir).includes(spare), "the folder is gone");
	});

	test("another viewport gets a browser of its own, and leaves the spare waiting", async () => {
		const spare = await untilSpare();
		const session = await daemon.api.start({ screen: { width: 800, height: 600 } });
		expect(session.id).not.toBe(spare);
		const cdp = await connectCdp(session.connectUrl);
		expect(await cdp.evaluate("[innerWidth, innerHeight]", await cdp.firstPage())).toEqual([800, 600]);
		await daemon.api.stop(session.id);
		expect((await daemon.api.start()).id).toBe(spare);
		used.add(spare);
		await daemon.api.stop(spare);
	});

	test("a start that is refused leaves the spare waiting", async () => {
		const spare = await untilSpare();
		expect((await daemon.api.call("POST", "/web/sessions", { country: "xx" })).body["status"]).toBe("denied");
		expect((await daemon.api.start()).id).toBe(spare);
		used.add(spare);
		await daemon.api.stop(spare);
	});

	test("a spare that dies is replaced, and is no session of anybody", async () => {
		const spare = await untilSpare();
		for (const pid of processesNaming(`${daemon.runDir}/${spare}`)) process.kill(pid, "SIGKILL");
		used.add(spare);
		const next = await untilSpare();
		expect((await daemon.api.start()).id).toBe(next);
		used.add(next);
		await daemon.api.stop(next);
		expect(await daemon.api.list("?status=all&limit=200")).not.toContainEqual(
			expect.objectContaining({ id: spare }),
		);
	});

	test("the daemon ends with its spares", async () => {
		used.add(await untilSpare());
		expect(await daemon.end("SIGTERM")).toBe(0);
		await waitFor(() => processesNaming(daemon.runDir).length === 0, "no process is left");
		expect(sessionFolders(daemon.runDir)).toEqual([]);
		await daemon.restart();
		await untilSpare();
	});
});
