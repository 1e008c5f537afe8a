import { expect, test } from "vitest";
import { established, eventually, openOrigin, pause } from "./rig.ts";
import { openProxy, openRigThrough } from "./upstream-rig.ts";

const basic = `Basic ${Buffer.from("user:geheim").toString("base64")}`;

test("asks an http proxy by CONNECT, with Basic authentication, for the name as it is", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.send("HTTP/1.0 200 OK\r\nVia: x\r\n\r\n220 hello");
		await peer.until("hi");
		peer.send("answer");
	});
	await using rig = await openRigThrough("http://user:geheim@127.0.0.1:PORT", proxy, {
		resolve: () => Promise.reject(new Error("resolved")),
	});
	const client = await rig.tunnel("a.test:443");
	await client.until("hello");
	expect(await client.send("hi").until("answer")).toBe(`${established}220 helloanswer`);
	const head = `CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nProxy-Authorization: ${basic}\r\n\r\n`;
	expect(proxy.peers[0]?.text).toBe(`${head}hi`);
	expect([rig.gateway.bytesUp, rig.gateway.bytesDown]).toEqual([2, 15]);
});

test("asks without credentials when there are none, and brackets IPv6", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		for (const part of "HTTP/1.1 200 OK\r\n\r\n") {
			peer.send(part);
			await pause(1);
		}
	});
	await using rig = await openRigThrough("http://127.0.0.1:PORT", proxy);
	await rig.tunnel("[2606:4700::1111]:443");
	expect(proxy.peers[0]?.text).toBe(
		"CONNECT [2606:4700::1111]:443 HTTP/1.1\r\nHost: [2606:4700::1111]:443\r\n\r\n",
	);
});

test.each([
	["HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\n\r\n", "proxy refused the credentials"],
	["HTTP/1.0 401 Unauthorized\r\n\r\n", "proxy refused the credentials"],
	["HTTP/1.1 403 Forbidden\r\n\r\nsecret words", "did not open a connection to the target"],
	["HTTP/1.1 503 no\r\n\r\n", "did not open a connection to the target"],
	["HTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n", "did not open a connection to the target"],
	["HTTP/2 200 OK\r\n\r\n", "did not answer as a proxy"],
	["HTTP/1.1 2000 OK\r\n\r\n", "did not answer as a proxy"],
	["SSH-2.0-x\r\n\r\n", "did not answer as a proxy"],
	[`HTTP/1.1 200 OK\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, "did not answer as a proxy"],
	["HTTP/1.1 200 OK\r\n", "did not answer as a proxy"],
	["", "did not answer as a proxy"],
])("answers 502 to CONNECT when an http proxy answers %#", async (said, sentence) => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.socket.end(said);
	});
	await using rig = await openRigThrough("http://user:geheim@127.0.0.1:PORT", proxy);
	const answer = await rig.ask("CONNECT a.test:443 HTTP/1.1\r\n\r\n");
	expect(answer).toContain("HTTP/1.1 502 Bad Gateway");
	expect(answer).toContain(sentence);
	expect(answer).not.toMatch(/geheim|user|127\.0\.0\.1|secret|Proxy-Authenticate/);
	expect(rig.gateway.bytesUp + rig.gateway.bytesDown).toBe(0);
});

test("has an http proxy forward a plain request, in absolute form and with its own credentials only", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("body!");
		peer.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes");
	});
	await using rig = await openRigThrough("http://user:geheim@127.0.0.1:PORT", proxy);
	const request =
		"POST http://a.test:81/x?y HTTP/1.1\r\nHost: evil\r\nProxy-Authorization: Basic mine\r\n" +
		"Proxy-Connection: keep-alive\r\nContent-Length: 5\r\nX: 1\r\n\r\nbody!GET http://b.test/ HTTP/1.1\r\n\r\n";
	expect(await rig.ask(request)).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nyes");
	expect(proxy.peers.map(({ text }) => text)).toEqual([
		`POST http://a.test:81/x?y HTTP/1.1\r\nHost: a.test:81\r\nProxy-Authorization: ${basic}\r\n` +
			"Content-Length: 5\r\nX: 1\r\nConnection: close\r\n\r\nbody!",
	]);
});

test("answers 502 when the proxy refuses the credentials of a plain request", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.socket.end("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\n\r\nwho are you");
	});
	await using rig = await openRigThrough("http://user:wrong@127.0.0.1:PORT", proxy);
	const answer = await rig.ask("GET http://a.test/ HTTP/1.1\r\n\r\n");
	expect(answer).toContain("HTTP/1.1 502 ");
	expect(answer).toContain("The session's own proxy refused the credentials.");
	expect(answer).not.toMatch(/Proxy-Authenticate|who are you/);
	await eventually(() => proxy.peers[0]?.isEnded === true);
});

test("asks for a plain WebSocket by CONNECT", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.send("HTTP/1.1 200 OK\r\n\r\n");
		await peer.until("websocket\r\n\r\n");
		peer.send("HTTP/1.1 101 Switching Protocols\r\n\r\n");
		await peer.until("frame");
		peer.send("echo");
	});
	await using rig = await openRigThrough("http://127.0.0.1:PORT", proxy);
	const client = await rig.connect();
	client.send("GET http://a.test/ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
	await client.until("101");
	await client.send("frame").until("echo");
	expect(proxy.peers[0]?.text).toMatch(
		/^CONNECT a\.test:80 HTTP\/1\.1\r\n[^]*\r\n\r\nGET \/ws HTTP\/1\.1\r\n/,
	);
});

test("does not let an http proxy forward what policy refuses", async () => {
	await using proxy = await openOrigin();
	await using rig = await openRigThrough("http://127.0.0.1:PORT", proxy);
	for (const host of ["10.0.0.1", "0x0a.1", "[fd00::1]", "nas.lan", "localhost", "update.googleapis.com"]) {
		expect(await rig.ask(`GET http://${host}/ HTTP/1.1\r\n\r\n`)).toContain("HTTP/1.1 403 ");
		expect(await rig.ask(`CONNECT ${host}:443 HTTP/1.1\r\n\r\n`)).toContain("HTTP/1.1 403 ");
	}
	expect(proxy.peers).toEqual([]);
});
