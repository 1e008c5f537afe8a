/** Puppeteer and Playwright, run by node, on real sessions; and many clients on one session. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartedSession } from "../support/api.ts";
import { connectCdp } from "../support/cdp.ts";
import { runAsChoices, startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { runProgram, startProgram } from "../support/node-program.ts";
import { type Site, startSite } from "../support/site.ts";

const CLIENTS_PER_SESSION = 5;
const EVALUATES = 200;

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	let site: Site;
	let daemon: TestDaemon;

	beforeAll(async () => {
		site = await startSite({
			"/added-header": (request, response) => response.end(String(request.headers["x-added"])),
		});
		daemon = await startTestDaemon({ as, allow: [site.target] });
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		await site?.[Symbol.asyncDispose]();
	});

	describe.each(["puppeteer", "playwright"])("%s", (library) => {
		let session: StartedSession;
		const run = (scenario: string) =>
			runProgram(library, scenario, { connectUrl: session.connectUrl, siteUrl: site.url });

		beforeAll(async () => {
			session = await daemon.api.start({ screen: { width: 1280, height: 800 } });
		});
		afterAll(async () => {
			await daemon.api.stop(session.id);
		});

		test("connects right after the start call, clicks, types and takes a screenshot of exactly the screen", async () => {
			expect(await run("drive")).toEqual({
				title: "pressed",
				typed: "some text, Größe 42",
				screenshot: [1280, 800],
			});
		});

		test("opens a popup and drives it", async () => {
			expect(await run("popup")).toEqual({ title: "A popup", openerTitle: "pressed" });
		});

		test("answers a request itself and changes another on its way", async () => {
			expect(await run("intercept")).toEqual({
				fulfilled: [201, "made up by the client"],
				modified: "by the client",
			});
			expect(site.requests).not.toContain("/made-up");
		});

		test("makes contexts with cookies of their own", async () => {
			expect(await run("contexts")).toEqual({
				cookies: [
					["", "name=one"],
					["", "name=two"],
				],
			});
		});

		test("prints a PDF", async () => {
			expect(await run("pdf")).toEqual({ start: "%PDF-", end: "%%EOF" });
		});

		test("finds its page as it was when it connects again", async () => {
			expect(await run("reconnect")).toEqual({ kept: "from before" });
		});
	});

	test("browser.close() of Puppeteer ends the session as stopped", async () => {
		const session = await daemon.api.start();
		await runProgram("puppeteer", "close", session);
		expect(await daemon.api.until(session.id, "ended")).toMatchObject({ endedReason: "stopped" });
	});

	test("browser.close() of Playwright only disconnects", async () => {
		const session = await daemon.api.start();
		await runProgram("playwright", "close", session);
		const cdp = await connectCdp(session.connectUrl);
		expect(await cdp.evaluate("6 * 7", await cdp.firstPage())).toBe(42);
		expect((await daemon.api.read(session.id)).status).toBe("running");
		await daemon.api.stop(session.id);
	});

	test(`gives each of ${CLIENTS_PER_SESSION} clients on one session its own answers`, async () => {
		const session = await daemon.api.start();
		const expected = (label: string) => Array.from({ length: EVALUATES }, (_, i) => `${label} ${i}`);
		const libraries = ["puppeteer", "puppeteer", "playwright"];
		const held = await Promise.all(
			libraries.map((library, i) =>
				startProgram(library, "evaluates", { ...session, label: `${library} ${i}`, count: EVALUATES }),
			),
		);
		const raw = await Promise.all(
			["raw 0", "raw 1"].map(async (label) => {
				const cdp = await connectCdp(session.connectUrl);
				const page = await cdp.newPage();
				return {
					label,
					all: () => Promise.all(expected(label).map((text) => cdp.evaluate(`"${text}"`, page))),
				};
			}),
		);
		const [ofLibraries, ofRaw] = await Promise.all([
			Promise.all(held.map((program) => program.go())),
			Promise.all(raw.map(({ all }) => all())),
		]);
		expect(ofLibraries.map(({ answers }) => answers)).toEqual(
			libraries.map((library, i) => expected(`${library} ${i}`)),
		);
		expect(ofRaw).toEqual(raw.map(({ label }) => expected(label)));
		await daemon.api.stop(session.id);
	});
});
