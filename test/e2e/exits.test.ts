/** Spec 4.1: sessions exit where they were told to, and nowhere else. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectCdp } from "../support/cdp.ts";
import { runAsChoices, startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { type PasswordProxy, startPasswordProxy } from "../support/http-proxy.ts";
import { type Site, startSite } from "../support/site.ts";

const secret = "p%40ss-Wort";

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	let site: Site;
	let proxy: PasswordProxy;
	let daemon: TestDaemon;

	beforeAll(async () => {
		site = await startSite();
		proxy = await startPasswordProxy("user", decodeURIComponent(secret));
		const upstream = (user: string) => `"http://${user}:${secret}@${proxy.address}"`;
		daemon = await startTestDaemon({
			as,
			allow: [site.target, proxy.address],
			config: `[[locations]]
code = "de"
name = "Germany"
default = "de-berlin"
[[locations.cities]]
code = "de-berlin"
location = "Berlin"
proxy = ${upstream("user")}
[residential]
proxy = ${upstream("user")}
countries = ["de"]
`,
		});
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		await proxy?.[Symbol.asyncDispose]();
		await site?.[Symbol.asyncDispose]();
	});

	test.each([
		{
			exit: "a proxy of its own",
			body: () => ({ proxy: `http://user:${secret}@${proxy.address}` }),
			country: null,
		},
		{ exit: "a country", body: () => ({ country: "de" }), country: "de" },
		{ exit: "a city", body: () => ({ country: "de-berlin" }), country: "de-berlin" },
		{
			exit: "a residential connection",
			body: () => ({ egress: "residential", country: "de" }),
			country: "de",
		},
	])("a session with $exit reaches pages through it alone", async ({ body, country }) => {
		const before = proxy.seen.length;
		const session = await daemon.api.start({ ...body(), url: `${site.url}/text` });
		const cdp = await connectCdp(session.connectUrl);
		expect(await cdp.evaluate("document.title", await cdp.firstPage())).toBe("Text");
		expect(proxy.seen.slice(before)).toContain(`GET ${site.url}/text`);
		expect((await daemon.api.read(session.id))["country"]).toBe(country);
		await daemon.api.stop(session.id);
	});

	test("a wrong password is an error page, and no page is reached without the proxy", async () => {
		const [asked, before] = [site.requests.length, proxy.seen.length];
		const session = await daemon.api.start({ proxy: `http://user:wrong@${proxy.address}` });
		const cdp = await connectCdp(session.connectUrl);
		const { text } = await cdp.visit(`${site.url}/text`, await cdp.firstPage());
		expect(text).toMatch(/refused the credentials|proxy/i);
		expect(text).not.toContain("wrong");
		expect(proxy.seen.slice(before)).toContain("407");
		expect(site.requests.length).toBe(asked);
		await daemon.api.stop(session.id);
	});

	test("private addresses stay closed behind an exit", async () => {
		const before = proxy.seen.length;
		const session = await daemon.api.start({ country: "de" });
		const cdp = await connectCdp(session.connectUrl);
		for (const address of ["http://169.254.169.254/", "http://10.0.0.1/", "http://printer.lan/"])
			expect((await cdp.visit(address, await cdp.firstPage())).text).toMatch(
				/not public|internal|not reach/i,
			);
		expect(proxy.seen.slice(before).filter((line) => line !== "407" && !line.includes(site.target))).toEqual(
			[],
		);
		await daemon.api.stop(session.id);
	});

	test("counts residential bytes, and shows no credential in log, process list or catalog", async () => {
		const quota = async () =>
			Number((await daemon.api.call("GET", "/user/quota")).body["residential_bytes_used_cycle"]);
		const before = await quota();
		const session = await daemon.api.start({ egress: "residential", url: `${site.url}/text` });
		await daemon.api.until(session.id, "running");
		await daemon.api.stop(session.id);
		await expect.poll(quota, { timeout: 10_000 }).toBeGreaterThan(before);
		expect(daemon.log()).not.toContain(secret);
		expect(daemon.log()).not.toContain(decodeURIComponent(secret));
		const catalog = JSON.stringify((await daemon.api.call("GET", "/image")).body);
		expect(catalog).toContain('"de-berlin"');
		expect(catalog).not.toContain(proxy.address);
	});
});
