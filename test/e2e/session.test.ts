/** One session from start to end, with the compiled binary and a real caged browser. */
import { readdirSync, readFileSync } from "node:fs";
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

	beforeAll(async () => {
		site = await startSite();
		daemon = await startTestDaemon({ as, allow: [site.target] });
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		await site?.[Symbol.asyncDispose]();
	});

	test("starts, answers CDP on the address at once, shows the url, and leaves nothing behind", async () => {
		const session = await daemon.api.start({ url: `${site.url}/text`, name: "first" });
		expect(session).toMatchObject({
			status: "ok",
			name: "first",
			image: "chrome",
			screen: { width: 1366, height: 768 },
		});
		const cdp = await connectCdp(session.connectUrl);
		const page = await cdp.firstPage();
		expect(await cdp.evaluate("document.title", page)).toBe("Text");
		expect(await cdp.evaluate("[innerWidth, innerHeight, screen.width, screen.height]", page)).toEqual([
			1366, 768, 1366, 768,
		]);
		expect(await cdp.evaluate("navigator.onLine", page)).toBe(true);
		expect(await cdp.evaluate("navigator.userAgent", page)).not.toMatch(/headless/i);
		expect((await daemon.api.read(session.id)).status).toBe("running");

		expect(await daemon.api.stop(session.id)).toMatchObject({ status: "ok" });
		expect(await cdp.closed).toEqual({ code: 4001, reason: "stopped" });
		expect(await daemon.api.read(session.id)).toMatchObject({
			status: "ended",
			endedReason: "stopped",
			connectUrl: null,
		});
		await waitFor(() => sessionFolders(daemon.runDir).length === 0, "the folder is gone");
		expect(processesNaming(daemon.runDir)).toEqual([]);
	});

	test.each([
		{ width: 320, height: 480 },
		{ width: 1920, height: 1080 },
	])("gives pages exactly the viewport that was asked for: $width x $height", async (screen) => {
		const session = await daemon.api.start({ screen });
		const cdp = await connectCdp(session.connectUrl);
		const expected = [screen.width, screen.height];
		expect(await cdp.evaluate("[innerWidth, innerHeight]", await cdp.firstPage())).toEqual(expected);
		expect(await cdp.evaluate("[innerWidth, innerHeight]", await cdp.newPage())).toEqual(expected);
		await daemon.api.stop(session.id);
	});

	test("keeps Chrome's own sandbox on", async () => {
		const session = await daemon.api.start();
		const cdp = await connectCdp(session.connectUrl);
		const { text } = await cdp.visit("chrome://sandbox", await cdp.firstPage());
		expect(text).toContain("You are adequately sandboxed");
		await daemon.api.stop(session.id);
	});

	test("runs no browser process as root", async () => {
		const session = await daemon.api.startRunning();
		const browsers = readdirSync("/proc").filter((pid) => {
			try {
				return (
					/^\d+$/.test(pid) &&
					readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--user-data-dir=/home/browser/profile")
				);
			} catch {
				return false;
			}
		});
		expect(browsers.length).toBeGreaterThan(0);
		for (const pid of browsers) {
			const [real, effective, saved] =
				/^Uid:\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.slice(1) ?? [];
			expect([real, effective, saved]).not.toContain("0");
		}
		await daemon.api.stop(session.id);
	});

	test("ends as error when the browser is killed, and as stopped when a client closes it", async () => {
		const killed = await daemon.api.start();
		const closed = await daemon.api.start();
		const [toKill, toClose] = [await connectCdp(killed.connectUrl), await connectCdp(closed.connectUrl)];
		void toKill.send("Browser.crash").catch(() => {});
		expect(await toKill.closed).toEqual({ code: 4005, reason: "error" });
		expect(await daemon.api.read(killed.id)).toMatchObject({ status: "ended", endedReason: "error" });
		void toClose.send("Browser.close").catch(() => {});
		expect(await toClose.closed).toEqual({ code: 4001, reason: "stopped" });
		expect(await daemon.api.read(closed.id)).toMatchObject({ status: "ended", endedReason: "stopped" });
	});

	test("lives on when a tab crashes", async () => {
		const session = await daemon.api.start();
		const cdp = await connectCdp(session.connectUrl);
		const doomed = await cdp.newPage();
		await cdp.send("Inspector.enable", {}, doomed);
		const crashed = cdp.event("Inspector.targetCrashed");
		void cdp.send("Page.crash", {}, doomed).catch(() => {});
		await crashed;
		expect(await cdp.evaluate("1 + 1", await cdp.newPage())).toBe(2);
		expect((await daemon.api.read(session.id)).status).toBe("running");
		await daemon.api.stop(session.id);
	});
});
