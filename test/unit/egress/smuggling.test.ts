import { expect, test } from "vitest";
import { eventually, openOrigin, openRig } from "./rig.ts";

const get = (port: number) => `GET http://127.0.0.1:${port}/ HTTP/1.1`;
const post = (port: number) => `POST http://127.0.0.1:${port}/ HTTP/1.1`;

const malformed: [string, (port: number) => string][] = [
	["origin form", () => "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"],
	["asterisk form", () => "OPTIONS * HTTP/1.1\r\n\r\n"],
	["https in absolute form", () => "GET https://a.test/ HTTP/1.1\r\n\r\n"],
	["user information", () => "GET http://u:secret@a.test/ HTTP/1.1\r\n\r\n"],
	["user information in CONNECT", () => "CONNECT u@a.test:443 HTTP/1.1\r\n\r\n"],
	["CONNECT without a port", () => "CONNECT a.test HTTP/1.1\r\n\r\n"],
	["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\n"],
	["HTTP/0.9", () => "GET http://a.test/\r\n\r\n"],
	["no request line", () => "\r\n\r\n"],
	["TLS", () => "\x16\x03\x01\x02\x00\x01\x00"],
	["two blanks in the request line", (port) => `${get(port).replace(" ", "  ")}\r\n\r\n`],
	["a tab in the request line", (port) => `${get(port).replace(" ", "\t")}\r\n\r\n`],
	["bytes beyond ASCII in the address", () => "GET http://a.test/\xe9 HTTP/1.1\r\n\r\n"],
	["bare LF as line ends", (port) => `${get(port)}\nHost: a\n\n`],
	["bare LF inside of a header", (port) => `${get(port)}\r\nA: b\nC: d\r\n\r\n`],
	["bare CR inside of a header", (port) => `${get(port)}\r\nA: b\rC: d\r\n\r\n`],
	["two CR", (port) => `${get(port)}\r\nA: b\r\r\n\r\n`],
	["NUL", (port) => `${get(port)}\r\nA: b\0\r\n\r\n`],
	["a control character", (port) => `${get(port)}\r\nA: b\x01\r\n\r\n`],
	["a folded header", (port) => `${get(port)}\r\nA: b\r\n c\r\n\r\n`],
	["a folded first header", (port) => `${get(port)}\r\n A: b\r\n\r\n`],
	["a blank before the colon", (port) => `${post(port)}\r\nContent-Length : 5\r\n\r\nhello`],
	["a header without a colon", (port) => `${get(port)}\r\nnonsense\r\n\r\n`],
	["a header without a name", (port) => `${get(port)}\r\n: x\r\n\r\n`],
	["two Host headers", (port) => `${get(port)}\r\nHost: a\r\nHost: b\r\n\r\n`],
	["two lengths", (port) => `${post(port)}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
	["the same length twice", (port) => `${post(port)}\r\nContent-Length: 5\r\ncontent-length: 5\r\n\r\nhello`],
	["a list of lengths", (port) => `${post(port)}\r\nContent-Length: 5, 5\r\n\r\nhello`],
	["a signed length", (port) => `${post(port)}\r\nContent-Length: +5\r\n\r\nhello`],
	["a negative length", (port) => `${post(port)}\r\nContent-Length: -1\r\n\r\n`],
	["a hexadecimal length", (port) => `${post(port)}\r\nContent-Length: 0x5\r\n\r\nhello`],
	["an empty length", (port) => `${post(port)}\r\nContent-Length:\r\n\r\n`],
	["an endless length", (port) => `${post(port)}\r\nContent-Length: 99999999999999999999\r\n\r\n`],
	[
		"a length and chunks",
		(port) => `${post(port)}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
	],
	["another coding", (port) => `${post(port)}\r\nTransfer-Encoding: gzip\r\n\r\n`],
	["two codings", (port) => `${post(port)}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
	[
		"chunked twice",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
	],
	[
		"a vertical tab before chunked",
		(port) => `${post(port)}\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`,
	],
	["identity", (port) => `${post(port)}\r\nTransfer-Encoding: identity\r\n\r\n`],
	[
		"chunks in HTTP/1.0",
		(port) => `POST http://127.0.0.1:${port}/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
	],
	[
		"an upgrade with a body",
		(port) => `${get(port)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\nabc`,
	],
	["a chunk size that is none", (port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`],
	["a signed chunk size", (port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n`],
	["a 0x chunk size", (port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n`],
	[
		"an endless chunk size",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
	],
	[
		"bare LF behind a chunk size",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n`,
	],
	[
		"bare LF in a chunk extension",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n5;a\nb\r\nhello\r\n`,
	],
	[
		"bare CR in a chunk extension",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n5;a\rb\r\nhello\r\n`,
	],
	[
		"a chunk longer than it says",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n`,
	],
	[
		"an endless chunk line",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n5;${"a".repeat(5_000)}`,
	],
	[
		"a malformed trailer",
		(port) => `${post(port)}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nGET / HTTP/1.1\r\n\r\n`,
	],
];

test.each(malformed)("answers 400 to %s, and the target hears nothing", async (_what, request) => {
	await using origin = await openOrigin();
	await using rig = await openRig({ resolve: () => Promise.resolve(["127.0.0.1"]) });
	const answer = await rig.ask(request(origin.port));
	expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request");
	expect(answer).toContain("\r\nConnection: close\r\n");
	expect(answer).not.toContain("secret");
	expect(origin.peers).toHaveLength(0);
	expect(rig.gateway.bytesUp).toBe(0);
});

test("cuts off a chunked body that turns bad on its way, and hands on nothing of it", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`${post(origin.port)}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
	await eventually(() => origin.peers[0]?.text.endsWith("hello\r\n") === true);
	client.send("0;\n\r\nGET /smuggled HTTP/1.1\r\n\r\n");
	expect(await client.ended()).toContain("HTTP/1.1 400 ");
	await eventually(() => origin.peers[0]?.isEnded === true || origin.peers[0]?.isClosed === true);
	expect(origin.peers[0]?.text).not.toContain("smuggled");
});

test("answers 431 to a head of more than 64 KB", async () => {
	await using rig = await openRig();
	expect(await rig.ask(`GET http://a.test/ HTTP/1.1\r\nA: ${"x".repeat(65_536)}`)).toContain("HTTP/1.1 431 ");
});

test("takes a head of almost 64 KB", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`${get(origin.port)}\r\nA: ${"x".repeat(65_000)}\r\n\r\n`);
	await eventually(() => (origin.peers[0]?.bytes ?? 0) > 65_000);
});
