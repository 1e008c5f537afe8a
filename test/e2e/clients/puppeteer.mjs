/** What a user of Puppeteer does with a session. Run by node: `node puppeteer.mjs SCENARIO JSON`. */
import puppeteer from "puppeteer-core";
import { pngSize, runScenario, untilGo } from "./program.mjs";

const connect = (connectUrl) => puppeteer.connect({ browserWSEndpoint: connectUrl, defaultViewport: null });

const firstPage = async (browser) => (await browser.pages())[0];

await runScenario({
	drive: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await firstPage(browser);
		await page.goto(siteUrl);
		await page.click("#press");
		await page.type("#field", "some text, Größe 42");
		const answer = {
			title: await page.title(),
			typed: await page.$eval("#field", (field) => field.value),
			screenshot: pngSize(await page.screenshot()),
		};
		await browser.disconnect();
		return answer;
	},
	popup: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await browser.newPage();
		await page.goto(siteUrl);
		const opened = new Promise((resolve) => page.once("popup", resolve));
		await page.click("#open");
		const popup = await opened;
		await popup.waitForFunction(() => document.title !== "");
		const title = await popup.title();
		await popup.evaluate(() => opener.document.querySelector("#press").click());
		const openerTitle = await page.title();
		await popup.close();
		await page.close();
		await browser.disconnect();
		return { title, openerTitle };
	},
	intercept: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await browser.newPage();
		await page.goto(siteUrl);
		await page.setRequestInterception(true);
		page.on("request", (request) => {
			if (request.url().endsWith("/made-up")) {
				void request.respond({ status: 201, body: "made up by the client" });
				return;
			}
			void request.continue({ headers: { ...request.headers(), "x-added": "by the client" } });
		});
		const [fulfilled, modified] = await page.evaluate(async () => {
			const [madeUp, header] = [await fetch("/made-up"), await fetch("/added-header")];
			return [[madeUp.status, await madeUp.text()], await header.text()];
		});
		await page.close();
		await browser.disconnect();
		return { fulfilled, modified };
	},
	contexts: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const cookies = [];
		for (const name of ["one", "two"]) {
			const context = await browser.createBrowserContext();
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
		for (const context of browser.browserContexts()) if (context.id !== undefined) await context.close();
		await browser.disconnect();
		return { cookies };
	},
	pdf: async ({ connectUrl, siteUrl }) => {
		const browser = await connect(connectUrl);
		const page = await browser.newPage();
		await page.goto(siteUrl);
		const pdf = Buffer.from(await page.pdf({ format: "A4" }));
		await page.close();
		await browser.disconnect();
		return { start: pdf.toString("latin1", 0, 5), end: pdf.toString("latin1").trimEnd().slice(-5) };
	},
	reconnect: async ({ connectUrl, siteUrl }) => {
		const first = await connect(connectUrl);
		const left = await first.newPage();
		await left.goto(`${siteUrl}/text`);
		await left.evaluate(() => {
			window.kept = "from before";
		});
		await first.disconnect();
		const second = await connect(connectUrl);
		const found = (await second.pages()).find((page) => page.url() === `${siteUrl}/text`);
		const kept = await found.evaluate(() => window.kept);
		await found.close();
		await second.disconnect();
		return { kept };
	},
	evaluates: async ({ connectUrl, label, count }) => {
		const browser = await connect(connectUrl);
		const page = await browser.newPage();
		await untilGo();
		const answers = [];
		for (let i = 0; i < count; i++) answers.push(await page.evaluate((text, n) => `${text} ${n}`, label, i));
		await page.close();
		await browser.disconnect();
		return { answers };
	},
	close: async ({ connectUrl }) => {
		const browser = await connect(connectUrl);
		await browser.close();
		return {};
	},
});
