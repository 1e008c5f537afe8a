import { expect, test } from "vitest";
import { eventually, openAnswering, openOrigin, openRig, pause } from "./rig.ts";

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

test("rewrites absolute form to origin form, without hop-by-hop and proxy headers", async () => {
	await using origin = await openAnswering(ok);
	await using rig = await openRig();
	const answer = await rig.ask(
		[
			`GET http://127.0.0.1:${origin.port}/a?b=c#d HTTP/1.1`,
			"Host: spoofed.test",
			"User-Agent: t\xe9st",
			"Proxy-Connection: keep-alive",
			"Proxy-Authorization: Basic c2VjcmV0",
			"Connection: keep-alive, X-Hop, Content-Length",
			"Keep-Alive: 5",
			"X-Hop: 1",
			"TE: trailers",
			"Trailer: X",
			"Upgrade: h2c",
			"HTTP2-Settings: AAA",
			"X-Kept:  spaced \t",
			"\r\n",
		].join("\r\n"),
	);
	const sent = `GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\nUser-Agent: t\xe9st\r\nX-Kept: spaced\r\nConnection: close\r\n\r\n`;
	expect(origin.peers[0]?.text).toBe(sent);
	expect(answer).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
	expect(rig.gateway.bytesUp).toBe(sent.length);
	expect(rig.gateway.bytesDown).toBe(ok.length);
	await eventually(() => rig.gateway.connections === 0);
});

test("sends a fixed body and nothing of what follows it", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`POST http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nContent-Length: 10\r\n\r\n01234`);
	await eventually(() => origin.peers[0]?.text.endsWith("01234") === true);
	client.send(`56789GET http://127.0.0.1:${origin.port}/second HTTP/1.1\r\n\r\n`);
	await eventually(() => origin.peers[0]?.text.endsWith("0123456789") === true);
	client.send("GET /third HTTP/1.1\r\n\r\n");
	await pause(50);
	expect(origin.peers[0]?.text).toBe(
		`POST / HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789`,
	);
	expect(origin.peers).toHaveLength(1);
	origin.peers[0]?.socket.end(ok);
	expect(await client.ended()).toContain("\r\n\r\nok");
});

test("sends nothing behind a request without a body", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	const head = `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`;
	client.send(head + head);
	await eventually(() => origin.peers.length === 1 && origin.peers[0]?.text.endsWith("\r\n\r\n") === true);
	await pause(50);
	expect(origin.peers[0]?.text.match(/GET/g)).toHaveLength(1);
});

test("sends a chunked body, with neither extensions nor trailers nor what follows", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`POST http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n`);
	for (const byte of "5;a=b\r\nhello\r\n00A\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\nGET /second HTTP/1.1\r\n\r\n") {
		client.send(byte);
		if (byte === "\n") await pause(1);
	}
	await eventually(() => origin.peers[0]?.text.endsWith("\r\n0\r\n\r\n") === true);
	await pause(30);
	expect(origin.peers[0]?.text.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe(
		"5\r\nhello\r\na\r\n0123456789\r\n0\r\n\r\n",
	);
});

test("moves a large upload exactly", async () => {
	const data = Buffer.alloc(10_000_000, "barrel");
	await using origin = await openOrigin((peer) =>
		peer.socket.on("data", () => {
			if (peer.bytes >= data.length + peer.text.indexOf("\r\n\r\n") + 4) peer.socket.end(ok);
		}),
	);
	await using rig = await openRig();
	const client = await rig.connect();
	client
		.send(`POST http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nContent-Length: ${data.length}\r\n\r\n`)
		.send(data);
	expect(await client.ended()).toContain("200 OK");
	expect(origin.peers[0]?.buffer.subarray(-data.length).equals(data)).toBe(true);
	expect(rig.gateway.bytesUp).toBe(origin.peers[0]?.bytes);
});

test("becomes a WebSocket when the target agrees", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(
		`GET http://127.0.0.1:${origin.port}/ws HTTP/1.1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n\r\nearly`,
	);
	await eventually(() => origin.peers[0]?.text.endsWith("\r\n\r\n") === true);
	expect(origin.peers[0]?.text).toBe(
		`GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\nSec-WebSocket-Key: k\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
	);
	const switching =
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nframe";
	origin.peers[0]?.send(switching);
	await client.until("frame");
	expect(client.text).toBe(switching);
	client.send(" late");
	await eventually(() => origin.peers[0]?.text.endsWith("\r\n\r\nearly late") === true);
});

test("sends nothing further to a target that declines the upgrade", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(
		`GET http://127.0.0.1:${origin.port}/ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /held `,
	);
	await eventually(() => origin.peers[0]?.text.endsWith("\r\n\r\n") === true);
	origin.peers[0]?.send(ok);
	await client.until("ok");
	expect(client.text).toContain("200 OK\r\nConnection: close\r\n");
	client.send("GET /second HTTP/1.1\r\n\r\n");
	await pause(50);
	expect(origin.peers[0]?.text.endsWith("\r\n\r\n")).toBe(true);
	expect(origin.peers[0]?.text).not.toContain("held");
});

test("passes an interim answer on and closes after the final one", async () => {
	await using origin = await openAnswering(
		`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok}`,
	);
	await using rig = await openRig();
	expect(await rig.ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nExpect: 100-continue\r\n\r\n`)).toBe(
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
	);
});

test("says close first even where the target says keep-alive, so that the client sends no other host's request here", async () => {
	await using origin = await openAnswering(
		"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
	);
	await using rig = await openRig();
	const answer = await rig.ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`);
	expect(answer.indexOf("Connection: close")).toBeLessThan(answer.indexOf("Connection: keep-alive"));
	expect(answer).toContain("Connection: close");
});

test.each([
	["no HTTP", "SSH-2.0-OpenSSH\r\nx"],
	["a folded status line", "HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n"],
	["an upgrade that nobody asked for", `HTTP/1.1 101 Switching Protocols\r\n\r\n${ok}`],
	["an interim answer with bare LF", `HTTP/1.1 100 Continue\r\nA: b\n\n${ok}`],
	["nothing at all", ""],
	["half a status line", "HTTP/1.1 20"],
	["two blanks before the status", "HTTP/1.1  100 x\r\n\r\n"],
])("answers 502 for a target that says %s", async (_what, bytes) => {
	await using origin = await openAnswering(bytes);
	await using rig = await openRig();
	const answer = await rig.ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`);
	expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 502 Bad Gateway");
	await eventually(() => origin.peers.every((peer) => peer.isClosed || peer.isEnded));
});

test("takes an answer that ends its lines with LF, byte by byte", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const answer = rig.ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.0\r\n\r\n`);
	await eventually(() => origin.peers.length === 1);
	for (const byte of "HTTP/1.0 200 OK\nContent-Type: a\n\nbody") {
		origin.peers[0]?.send(byte);
		await pause(1);
	}
	origin.peers[0]?.socket.end();
	expect(await answer).toBe("HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Type: a\n\nbody");
});

test("delivers an answer that comes before the upload is over", async () => {
	const body = "n".repeat(500_000);
	await using origin = await openOrigin((peer) =>
		peer.socket.once("data", () => {
			peer.socket.pause();
			peer.socket.end(`HTTP/1.1 413 Too Large\r\n\r\n${body}`);
		}),
	);
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`POST http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nContent-Length: 50000000\r\n\r\n`);
	client.send(Buffer.alloc(20_000_000));
	expect((await client.ended()).endsWith(`\r\n\r\n${body}`)).toBe(true);
	await eventually(() => rig.gateway.connections === 0);
});

test("sends and counts no more of an upload once the target has answered and ended", async () => {
	await using origin = await openAnswering(ok);
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`POST http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nContent-Length: 1000\r\n\r\nfirst`);
	await client.ended();
	const counted = rig.gateway.bytesUp;
	client.send("second");
	await pause(50);
	expect(rig.gateway.bytesUp).toBe(counted);
	expect(origin.peers[0]?.text.endsWith("first")).toBe(true);
});
