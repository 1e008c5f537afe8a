/** `isolation = "none"`, and images other than the full Chrome. */
import { describe, expect, test } from "vitest";
import { findFamily } from "../../src/catalog/browsers.ts";
import { connectCdp } from "../support/cdp.ts";
import { processesNaming, runAsChoices, sessionFolders, startTestDaemon } from "../support/daemon.ts";
import { descendantsOf, stillRunning } from "../support/processes.ts";
import { startSite } from "../support/site.ts";
import { waitFor } from "../support/wait-for.ts";

describe.each(runAsChoices)("without a cage, with the daemon run as %s", (as) => {
	const config = '[sessions]\nspares = 0\nisolation = "none"';

	test("says loudly what is lost, runs a session through its way out, and leaves nothing behind", async () => {
		await using site = await startSite();
		await using daemon = await startTestDaemon({ as, config, allow: [site.target] });
		expect(daemon.log()).toMatch(/"level":"warn".*sessions are NOT isolated/);
		const session = await daemon.api.start({ url: `${site.url}/text`, screen: { width: 800, height: 600 } });
		const cdp = await connectCdp(session.connectUrl);
		const page = await cdp.firstPage();
		expect(await cdp.evaluate("document.title", page)).toBe("Text");
		expect(await cdp.evaluate("[innerWidth, innerHeight]", page)).toEqual([800, 600]);
		const processes = descendantsOf(daemon.pid);
		expect(processes.length).toBeGreaterThan(3);
		await daemon.api.stop(session.id);
		expect(await cdp.closed).toEqual({ code: 4001, reason: "stopped" });
		await waitFor(() => sessionFolders(daemon.runDir).length === 0, "the folder is gone");
		await waitFor(() => stillRunning(processes).length === 0, "every process is gone");
		expect(processesNaming(daemon.runDir)).toEqual([]);
	});

	test("refuses private targets all the same", async () => {
		await using site = await startSite();
		await using daemon = await startTestDaemon({ as, config });
		const session = await daemon.api.start();
		const cdp = await connectCdp(session.connectUrl);
		const { text } = await cdp.visit(`${site.url}/text`, await cdp.firstPage());
		expect(text).not.toContain("plain text of the site");
		expect(site.requests).toEqual([]);
		await daemon.api.stop(session.id);
	});

	test("a closed browser is stopped, a killed shim is an error, and a daemon that comes later clears up", async () => {
		await using daemon = await startTestDaemon({ as, config });
		const [closed, killed, lost] = [
			await daemon.api.start(),
			await daemon.api.start(),
			await daemon.api.start(),
		];
		const toClose = await connectCdp(closed.connectUrl);
		const toKill = await connectCdp(killed.connectUrl);
		await connectCdp(lost.connectUrl);
		const processes = descendantsOf(daemon.pid);
		const shim = processes.find(({ commandLine }) =>
			new RegExp(`barrel shim .*${killed.id}`).test(commandLine),
		);
		process.kill(shim?.pid ?? Number.NaN, "SIGKILL");
		expect(await toKill.closed).toEqual({ code: 4005, reason: "error" });
		void toClose.send("Browser.close").catch(() => {});
		expect(await toClose.closed).toEqual({ code: 4001, reason: "stopped" });
		await daemon.end("SIGKILL");
		await daemon.restart();
		await waitFor(() => stillRunning(processes).length === 0, "every process is gone");
		expect(await daemon.api.read(lost.id)).toMatchObject({ status: "ended", endedReason: "lost" });
		expect(sessionFolders(daemon.runDir)).toEqual([]);
	});
});

describe.each(runAsChoices)("chrome-light, with the daemon run as %s", (as) => {
	test.skipIf(findFamily("headless-shell") === undefined)(
		"runs with exactly the viewport that was asked for (needs chromium-headless-shell)",
		async () => {
			await using daemon = await startTestDaemon({ as });
			for (const screen of [
				{ width: 320, height: 480 },
				{ width: 1366, height: 768 },
				{ width: 1920, height: 1080 },
			]) {
				const session = await daemon.api.start({ image: "chrome-light", screen });
				expect(session.image).toBe("chrome-light");
				const cdp = await connectCdp(session.connectUrl);
				const size = [screen.width, screen.height];
				const measured = "[innerWidth, innerHeight, screen.width, screen.height]";
				for (const page of [await cdp.firstPage(), await cdp.newPage()])
					expect(await cdp.evaluate(measured, page)).toEqual([...size, ...size]);
				expect(await cdp.evaluate("navigator.userAgent", await cdp.firstPage())).not.toMatch(/headless/i);
				await daemon.api.stop(session.id);
			}
		},
	);
});
