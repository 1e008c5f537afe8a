/** What a user of Playwright does with a session. Run by node: `node playwright.mjs SCENARIO JSON`. */
import { chromium } from "playwright-core";
import { pngSize, runScenario, untilGo } from "./program.mjs";

const connect = (connectUrl) => chromium.connectOverCDP(connectUrl);

await runScenario({
	drive: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const [page] = browser.contexts()[0].pages();
		await page.goto(siteUrl);
		await page.getByRole("button", { name: "Press" }).click();
		await page.locator("#field").pressSequentially("some text, Größe 42");
		const answer = {
			title: await page.title(),
			typed: await page.locator("#field").inputValue(),
			screenshot: pngSize(await page.screenshot()),
		};
		await browser.close();
		return answer;
	},
	popup: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await browser.contexts()[0].newPage();
		await page.goto(siteUrl);
		const [popup] = await Promise.all([page.waitForEvent("popup"), page.locator("#open").click()]);
		await popup.waitForFunction(() => document.title !== "");
		const title = await popup.title();
		await popup.evaluate(() => opener.document.querySelector("#press").click());
		const openerTitle = await page.title();
		await popup.close();
		await page.close();
		await browser.close();
		return { title, openerTitle };
	},
	intercept: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await browser.contexts()[0].newPage();
		await page.goto(siteUrl);
		await page.route("**/made-up", (route) => route.fulfill({ status: 201, body: "made up by the client" }));
		await page.route("**/added-header", (route) =>
			route.continue({ headers: { ...route.request().headers(), "x-added": "by the client" } }),
		);
		const [fulfilled, modified] = await page.evaluate(async () => {
			const [madeUp, header] = [await fetch("/made-up"), await fetch("/added-header")];
			return [[madeUp.status, await madeUp.text()], await header.text()];
		});
		await page.close();
		await browser.close();
		return { fulfilled, modified };
	},
	contexts: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const cookies = [];
		for (const name of ["one", "two"]) {
			const context = await browser.newContext();
			const page = await context.newPage();
			await page.goto(siteUrl);
			cookies.push(
				await page.evaluate((value) => {
					const before = document.cookie;
					document.cookie = `name=${value}`;
					return [before, document.cookie];
				}, name),
			);
		}
		await browser.close();
		return { cookies };
	},
	pdf: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await browser.contexts()[0].newPage();
		await page.goto(siteUrl);
		const pdf = await page.pdf({ format: "A4" });
		await page.close();
		await browser.close();
		return { start: pdf.toString("latin1", 0, 5), end: pdf.toString("latin1").trimEnd().slice(-5) };
	},
	reconnect: async ({ connectUrl, siteUrl }) => {
		const first = await connect(connectUrl);
		const left = await first.contexts()[0].newPage();
		await left.goto(`${siteUrl}/text`);
		await left.evaluate(() => {
			window.kept = "from before";
		});
		await first.close();
		const second = await connect(connectUrl);
		const found = second
			.contexts()[0]
			.pages()
			.find((page) => page.url() === `${siteUrl}/text`);
		const kept = await found.evaluate(() => window.kept);
		await found.close();
		await second.close();
		return { kept };
	},
	evaluates: async ({ connectUrl, label, count }) => {
		const browser = await connect(connectUrl);
		const page = await browser.contexts()[0].newPage();
		await untilGo();
		const answers = [];
		for (let i = 0; i < count; i++)
			answers.push(await page.evaluate(([text, n]) => `${text} ${n}`, [label, i]));
		await page.close();
		await browser.close();
		return { answers };
	},
	close: async ({ connectUrl }) => {
		const browser = await connect(connectUrl);
		await browser.close();
		return {};
	},
});
