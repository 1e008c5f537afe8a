/** What pages and CDP clients try in order to reach the host and its networks. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type http from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { download, downloadingPage } from "../support/caged.ts";
import { type Canary, isReachable, outsideAddresses, startCanary } from "../support/canary.ts";
import { type CdpConnection, connectCdp } from "../support/cdp.ts";
import { runAsChoices, startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Site, startSite } from "../support/site.ts";
import { waitFor } from "../support/wait-for.ts";

const OPEN_NAME = "open.barrel-test.example";
const CLOSED_NAME = "rebind.barrel-test.example";
const canEditHosts = process.getuid?.() === 0;

/** What a page's script can do to send something to `url`; each settles when the browser has made up its mind. */
const vectors: Record<string, (url: string) => string> = {
	fetch: (url) => `fetch("${url}").then(String, String)`,
	"fetch without CORS": (url) =>
		`fetch("${url}", { mode: "no-cors", method: "POST", body: "x" }).then(String, String)`,
	XMLHttpRequest: (url) =>
		`new Promise((done) => { const call = new XMLHttpRequest(); call.onloadend = () => done("over"); call.open("GET", "${url}"); call.send(); })`,
	image: (url) =>
		`new Promise((done) => { const image = new Image(); image.onload = image.onerror = () => done("over"); image.src = "${url}"; })`,
	iframe: (url) =>
		`new Promise((done) => { const frame = document.createElement("iframe"); frame.onload = () => done("over"); frame.src = "${url}"; document.body.append(frame); })`,
	script: (url) =>
		`new Promise((done) => { const script = document.createElement("script"); script.onload = script.onerror = () => done("over"); script.src = "${url}"; document.head.append(script); })`,
	EventSource: (url) =>
		`new Promise((done) => { const source = new EventSource("${url}"); source.onopen = source.onerror = () => { source.close(); done("over"); }; })`,
	WebSocket: (url) =>
		`new Promise((done) => { const socket = new WebSocket("${url.replace("http", "ws")}"); socket.onopen = socket.onerror = () => { socket.close(); done("over"); }; })`,
	sendBeacon: (url) => `navigator.sendBeacon("${url}", "x")`,
	"a service worker": (url) =>
		`navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(({ active }) => new Promise((done) => {
			const channel = new MessageChannel();
			channel.port1.onmessage = () => done("over");
			active.postMessage("${url}", [channel.port2]);
		}))`,
};

const worker = `onmessage = (event) => event.waitUntil(fetch(event.data, { mode: "no-cors" }).then(String, String).then((said) => event.ports[0].postMessage(said)));`;

function siteHandlers(canaryPort: () => number): Record<string, http.RequestListener> {
	const redirect: http.RequestListener = (_request, response) => {
		response.writeHead(302, { location: `http://127.0.0.1:${canaryPort()}/redirected` }).end();
	};
	return {
		"/worker.js": (_request, response) =>
			void response.writeHead(200, { "content-type": "text/javascript" }).end(worker),
		"/redirect": redirect,
		"/redirect-in": (_request, response) => void response.writeHead(302, { location: "/text" }).end(),
		"/proxy.pac": (_request, response) =>
			void response
				.writeHead(200, { "content-type": "application/x-ns-proxy-autoconfig" })
				.end('function FindProxyForURL() { return "DIRECT"; }'),
	};
}

/** Ways to spell this machine. */
function spellings(port: number): string[] {
	const hosts = [
		"127.0.0.1",
		"[::1]",
		"0.0.0.0",
		"[::]",
		"localhost",
		"a.localhost",
		"2130706433",
		"0x7f000001",
		"0x7f.1",
		"127.1",
		"0177.0.0.1",
		"127.255.255.254",
		"[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]",
		"[64:ff9b::7f00:1]",
		"127.0.0.1.",
		"LOCALHOST",
		"①②⑦.0.0.1",
	];
	return [...hosts, ...outsideAddresses()].map((host) => `http://${host}:${port}/attack`);
}

/** Private networks, cloud metadata: nothing of ours listens there, the answer must be the gateway's own. */
const privateTargets = [
	"10.0.0.1",
	"192.168.1.1",
	"172.16.0.1",
	"169.254.169.254",
	"168.63.129.16",
	"100.64.0.1",
	"100.100.100.200",
	"198.18.0.1",
	"224.0.0.1",
	"255.255.255.255",
	"[fd00::1]",
	"[fe80::1]",
	"[fd00:ec2::254]",
	"[::ffff:10.0.0.1]",
	"[2002:0a00:0001::1]",
	"[64:ff9b::a00:1]",
	"metadata.google.internal",
	"router.lan",
	"printer.local",
];

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	let site: Site;
	let canary: Canary;
	let daemon: TestDaemon;
	let cdp: CdpConnection;
	let hosts: string | undefined;

	beforeAll(async () => {
		canary = await startCanary();
		site = await startSite(siteHandlers(() => canary.port));
		const port = new URL(site.url).port;
		if (canEditHosts) {
			hosts = `127.0.0.1 ${OPEN_NAME} # barrel test ${process.pid}\n127.0.0.1 ${CLOSED_NAME} # barrel test ${process.pid}\n`;
			appendFileSync(
				"/etc/hosts",
				`${readFileSync("/etc/hosts", "utf8").endsWith("\n") ? "" : "\n"}${hosts}`,
			);
		}
		daemon = await startTestDaemon({ as, allow: [site.target, `${OPEN_NAME}:${port}`] });
		cdp = await connectCdp((await daemon.api.startRunning()).connectUrl);
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
		await canary?.[Symbol.asyncDispose]();
		await site?.[Symbol.asyncDispose]();
		if (hosts !== undefined)
			writeFileSync("/etc/hosts", readFileSync("/etc/hosts", "utf8").replace(hosts, ""));
	});

	const pageOnSite = async (): Promise<string> => {
		const page = await cdp.newPage();
		await cdp.visit(`${site.url}/text`, page);
		return page;
	};
	/** The canary is alive, and silent so far. */
	const expectSilence = async (): Promise<void> => {
		expect(canary.visits).toEqual([]);
		expect(await isReachable("127.0.0.1", canary.port)).toBe(true);
		canary.sendDatagram();
		await waitFor(() => canary.visits.length === 2, "the canary has seen the test itself, by TCP and UDP");
		canary.visits.length = 0;
	};

	describe("a page of the default context", () => {
		test.each(Object.keys(vectors))("reaches what is allowed and nothing else by %s", async (name) => {
			const page = await pageOnSite();
			const attack = vectors[name] ?? String;
			const path = `/control-${Object.keys(vectors).indexOf(name)}`;
			await cdp.evaluate(attack(site.url + path), page);
			await waitFor(() => site.requests.includes(path), `the allowed target was reached by ${name}`);
			for (const url of spellings(canary.port).filter((address) =>
				/127\.0\.0\.1:|\[::1\]|localhost:|0x7f000001/.test(address),
			))
				await cdp.evaluate(attack(url), page);
			await cdp.evaluate(attack(`http://127.0.0.1:${new URL(daemon.url).port}/healthz`), page);
			await expectSilence();
			await cdp.send(
				"Runtime.evaluate",
				{
					expression:
						"navigator.serviceWorker.getRegistrations().then((all) => all.map((one) => one.unregister()))",
				},
				page,
			);
		});

		test("reaches this machine by no spelling of its address", async () => {
			const page = await cdp.newPage();
			for (const url of spellings(canary.port)) {
				const { text } = await cdp.visit(url, page);
				expect({ url, text }).not.toEqual({ url, text: "canary was there" });
				const { host } = new URL(url);
				if (!host.includes("64:ff9b")) expect(text).toMatch(/403 Forbidden|400 Bad Request|ERR_/);
			}
			await expectSilence();
		});

		test("is not tunnelled to this machine either", async () => {
			const page = await cdp.newPage();
			for (const url of spellings(canary.port))
				expect((await cdp.visit(url.replace("http:", "https:"), page)).errorText).toBeDefined();
			await expectSilence();
		});

		test.each(privateTargets)("is refused %s by the gateway", async (host) => {
			const page = await cdp.newPage();
			expect((await cdp.visit(`http://${host}/`, page)).text).toMatch(/^403 Forbidden/);
			expect((await cdp.visit(`https://${host}/`, page)).errorText).toBe("net::ERR_TUNNEL_CONNECTION_FAILED");
			expect(
				await cdp.evaluate(
					`fetch("http://${host}/", { mode: "no-cors" }).then((answer) => answer.type, String)`,
					await pageOnSite(),
				),
			).toMatch(/opaque|Failed to fetch/);
		});

		test("does not reach the daemon that serves it", async () => {
			const { port } = new URL(daemon.url);
			expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
			const page = await cdp.newPage();
			for (const host of ["127.0.0.1", "localhost", ...outsideAddresses()])
				expect((await cdp.visit(`http://${host}:${port}/healthz`, page)).text).toMatch(/^403 Forbidden/);
		});

		test("is not led to this machine by a redirect", async () => {
			const page = await cdp.newPage();
			expect((await cdp.visit(`${site.url}/redirect-in`, page)).text).toContain("plain text of the site");
			expect((await cdp.visit(`${site.url}/redirect`, page)).text).toMatch(/^403 Forbidden/);
			await cdp.evaluate(`fetch("/redirect", { mode: "no-cors" }).then(String, String)`, await pageOnSite());
			expect(site.requests.filter((path) => path === "/redirect").length).toBe(2);
			await expectSilence();
		});

		test.skipIf(!canEditHosts)(
			"is not led to this machine by a name (needs to write /etc/hosts)",
			async () => {
				const page = await cdp.newPage();
				expect((await cdp.visit(`http://${OPEN_NAME}:${new URL(site.url).port}/text`, page)).text).toContain(
					"plain text of the site",
				);
				for (const url of [`http://${CLOSED_NAME}:${canary.port}/`, `http://${OPEN_NAME}:${canary.port}/`])
					expect((await cdp.visit(url, page)).text).toMatch(/^403 Forbidden/);
				await expectSilence();
			},
		);
	});

	describe("a context with a proxy of the client's choice", () => {
		const pageIn = async (settings: object): Promise<string> => {
			const { browserContextId } = await cdp.send("Target.createBrowserContext", settings);
			return cdp.newPage(String(browserContextId));
		};

		test("finds nothing but its own cage with direct://", async () => {
			const page = await pageIn({ proxyServer: "direct://", proxyBypassList: "*" });
			expect((await cdp.visit("http://127.0.0.1:9222/json/version", page)).text).toContain(
				"webSocketDebuggerUrl",
			);
			for (const url of [...spellings(canary.port), `${daemon.url}/healthz`, `${site.url}/text`])
				expect({ url, ...(await cdp.visit(url, page)) }).toMatchObject({
					url,
					errorText: expect.stringMatching(/^net::ERR_/),
				});
			for (const host of [
				"10.0.0.1",
				"169.254.169.254",
				"192.168.1.1",
				"[fd00::1]",
				"8.8.8.8",
				"[2001:4860:4860::8888]",
				"example.com",
			])
				expect({ host, ...(await cdp.visit(`http://${host}/`, page)) }).toMatchObject({
					host,
					errorText: expect.stringMatching(
						/^net::ERR_(ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|NAME_NOT_RESOLVED|ADDRESS_INVALID|NETWORK_ACCESS_DENIED)$/,
					),
				});
			await expectSilence();
		});

		test("gets no further with another proxy, not even on this machine", async () => {
			const { host } = new URL(daemon.url);
			const proxies = [
				`http://127.0.0.1:${canary.port}`,
				`socks5://127.0.0.1:${canary.port}`,
				`https://localhost:${canary.port}`,
				`http://${host}`,
				...outsideAddresses().map((address) => `http://${address}:${canary.port}`),
				"http://127.0.0.1:3129",
				"http://192.0.2.1:3128",
			];
			for (const proxyServer of proxies) {
				const page = await pageIn({ proxyServer });
				expect({ proxyServer, ...(await cdp.visit("http://example.com/", page)) }).toMatchObject({
					proxyServer,
					errorText: expect.stringMatching(/^net::ERR_/),
				});
			}
			await expectSilence();
		});

		test("is refused the same by the gateway when it bypasses nothing", async () => {
			const page = await pageIn({ proxyServer: "http://127.0.0.1:3128", proxyBypassList: "<-loopback>" });
			expect((await cdp.visit(`${site.url}/text`, page)).text).toContain("plain text of the site");
			expect((await cdp.visit(`http://10.0.0.1/`, page)).text).toMatch(/^403 Forbidden/);
			expect(
				(await cdp.visit("http://127.0.0.1:3128/", await pageIn({ proxyServer: "direct://" }))).text,
			).toMatch(/^400 Bad Request/);
		});
	});

	describe("an extension that sets the proxy", () => {
		test("finds nothing but its own cage", async () => {
			const folder = await downloadingPage(cdp, "/tmp/extension");
			const manifest = {
				manifest_version: 3,
				name: "direct",
				version: "1",
				permissions: ["proxy"],
				host_permissions: ["<all_urls>"],
				background: { service_worker: "worker.js" },
			};
			expect(await download(cdp, folder, "manifest.json", JSON.stringify(manifest))).toBe("completed");
			expect(
				await download(
					cdp,
					folder,
					"worker.js",
					`chrome.proxy.settings.set({ value: { mode: "direct" }, scope: "regular" });`,
				),
			).toBe("completed");
			const { id } = await cdp.send("Extensions.loadUnpacked", { path: "/tmp/extension" });
			expect(id).toEqual(expect.any(String));
			const page = await cdp.newPage();
			await waitFor(
				async () =>
					(await cdp.visit("http://127.0.0.1:9222/json/version", page)).text.includes("webSocketDebuggerUrl"),
				"the extension has switched the proxy off",
			);
			for (const url of [
				...spellings(canary.port),
				`${site.url}/text`,
				"http://10.0.0.1/",
				"http://8.8.8.8/",
			])
				expect((await cdp.visit(url, page)).errorText).toBeDefined();
			await expectSilence();
			await cdp.send("Extensions.uninstall", { id: String(id) });
			await waitFor(
				async () => (await cdp.visit(`${site.url}/text`, page)).text.includes("plain text"),
				"the session's own proxy is back",
			);
		});
	});

	describe("WebRTC", () => {
		test("gathers no candidate, and sends nothing to a STUN server", async () => {
			const page = await pageOnSite();
			const here = ["127.0.0.1", "[::1]", ...outsideAddresses()].map((host) => `${host}:${canary.port}`);
			const servers = [
				[],
				["stun:stun.example.org:3478"],
				...here.flatMap((address) => [
					[`stun:${address}`],
					[`turn:${address}?transport=udp`],
					[`turn:${address}?transport=tcp`],
				]),
			];
			const gathered = await cdp.evaluate(
				`(async () => {
					const found = [];
					for (const urls of ${JSON.stringify(servers)}) {
						const peer = new RTCPeerConnection({ iceServers: urls.length === 0 ? [] : [{ urls, username: "u", credential: "c" }] });
						peer.createDataChannel("x");
						peer.onicecandidate = ({ candidate }) => candidate?.candidate && found.push(candidate.candidate);
						await peer.setLocalDescription(await peer.createOffer());
						if (peer.iceGatheringState !== "complete") await new Promise((done) => {
							peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done();
							setTimeout(done, 5000);
						});
						found.push(...(peer.localDescription.sdp.match(/^a=candidate.*$/gm) ?? []));
						peer.close();
					}
					return found;
				})()`,
				page,
			);
			expect(gathered).toEqual([]);
			await expectSilence();
		});
	});
});
