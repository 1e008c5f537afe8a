import { expect, test } from "vitest";
import { established, eventually, openOrigin, pause } from "./rig.ts";
import { openProxy, openRigThrough, received } from "./upstream-rig.ts";

const bytesOf = (text: string) => [...Buffer.from(text)];
const granted5 = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

test.each([
	["a.test:443", [3, 6, ...bytesOf("a.test"), 1, 187]],
	["8.8.4.4:80", [1, 8, 8, 4, 4, 0, 80]],
	["[2606:4700::1111]:443", [4, 0x26, 6, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11, 1, 187]],
])("asks a socks5 proxy for %s with user and password", async (authority, destination) => {
	const said: number[][] = [];
	await using proxy = await openProxy(async (peer) => {
		said.push(await received(peer, 0, 4));
		peer.send(Buffer.from([5, 2]));
		said.push(await received(peer, 4, 15));
		peer.send(Buffer.from([1, 0]));
		said.push(await received(peer, 15, 18 + destination.length));
		peer.send(Buffer.from(granted5));
		await received(peer, 0, 18 + destination.length + 2);
		peer.send("answer");
	});
	await using rig = await openRigThrough("socks5://user:pa%3As@127.0.0.1:PORT", proxy);
	const client = await rig.tunnel(authority);
	expect(await client.send("hi").until("answer")).toBe(`${established}answer`);
	expect(said).toEqual([
		[5, 2, 0, 2],
		[1, 4, ...bytesOf("user"), 4, ...bytesOf("pa:s")],
		[5, 1, 0, ...destination],
	]);
	expect([rig.gateway.bytesUp, rig.gateway.bytesDown]).toEqual([2, 6]);
});

test.each([
	["an IPv4 address", granted5],
	["a name", [5, 0, 0, 3, 3, 97, 98, 99, 0, 1]],
	["an empty name", [5, 0, 0, 3, 0, 0, 1]],
	["an IPv6 address", [5, 0, 0, 4, ...Array.from({ length: 18 }, () => 9)]],
])(
	"takes a socks5 answer with %s, byte by byte or together with the target's first words",
	async (_, granted) => {
		let isSlow = true;
		await using proxy = await openProxy(async (peer) => {
			await received(peer, 0, 3);
			peer.send(Buffer.from([5, 0]));
			await received(peer, 3, 16);
			const answer = Buffer.from([...granted, ...bytesOf("220 hello")]);
			if (!isSlow) {
				peer.send(answer);
				return;
			}
			for (const byte of answer) {
				peer.send(Buffer.from([byte]));
				await pause(1);
			}
		});
		await using rig = await openRigThrough("socks5://127.0.0.1:PORT", proxy);
		for (isSlow of [true, false]) {
			const client = await rig.tunnel("a.test:80");
			expect(await client.until("220 hello")).toBe(`${established}220 hello`);
		}
		expect([rig.gateway.bytesUp, rig.gateway.bytesDown]).toEqual([0, 18]);
	},
);

test("delivers what a socks5 target said before it ended at once", async () => {
	await using proxy = await openProxy(async (peer) => {
		await received(peer, 0, 3);
		peer.send(Buffer.from([5, 0]));
		await received(peer, 3, 16);
		peer.socket.end(Buffer.from([...granted5, ...bytesOf("bye")]));
	});
	await using rig = await openRigThrough("socks5://127.0.0.1:PORT", proxy);
	const client = await rig.tunnel("a.test:80");
	expect(await client.ended()).toBe(`${established}bye`);
});

test.each([
	["no method that it takes", [[5, 255]], "refused the credentials"],
	[
		"a wrong password",
		[
			[5, 2],
			[1, 1],
		],
		"refused the credentials",
	],
	[
		"a wrong login version",
		[
			[5, 2],
			[5, 0],
		],
		"did not answer as a proxy",
	],
	["a method that was not offered", [[5, 1]], "did not answer as a proxy"],
	["another protocol", [bytesOf("HTTP/1.1 400 Bad Request\r\n\r\n")], "did not answer as a proxy"],
	[
		"an unreachable host",
		[
			[5, 0],
			[5, 4, 0, 1, 0],
		],
		"did not open a connection to the target",
	],
	[
		"a rule against it",
		[
			[5, 0],
			[5, 2, 0, 1, 0, 0, 0, 0, 0, 0],
		],
		"did not open a connection to the target",
	],
	[
		"an unknown address type",
		[
			[5, 0],
			[5, 0, 0, 7, 0],
		],
		"did not answer as a proxy",
	],
	["nothing but its end", [], "did not answer as a proxy"],
])("answers 502 when a socks5 proxy answers with %s", async (_, answers, sentence) => {
	await using proxy = await openProxy(async (peer) => {
		for (const answer of answers) {
			const { bytes } = peer;
			await eventually(() => peer.bytes > bytes || bytes > 4);
			await pause(5);
			peer.send(Buffer.from(answer));
		}
		await pause(10);
		peer.socket.end();
	});
	await using rig = await openRigThrough("socks5://user:geheim@127.0.0.1:PORT", proxy);
	const answer = await rig.ask("CONNECT a.test:443 HTTP/1.1\r\n\r\n");
	expect(answer).toContain("HTTP/1.1 502 ");
	expect(answer).toContain(`The session's own proxy ${sentence}`);
	expect(answer).not.toMatch(/geheim|user|127\.0\.0\.1/);
	await eventually(() => proxy.peers.every(({ isEnded }) => isEnded));
	expect(rig.gateway.bytesUp + rig.gateway.bytesDown).toBe(0);
});

test.each([
	["a.test:443", "socks4://127.0.0.1:PORT", [4, 1, 1, 187, 0, 0, 0, 1, 0, ...bytesOf("a.test"), 0]],
	["8.8.4.4:80", "socks4://me:unsent@127.0.0.1:PORT", [4, 1, 0, 80, 8, 8, 4, 4, ...bytesOf("me"), 0]],
])("asks a socks4 proxy for %s", async (authority, url, request) => {
	await using proxy = await openProxy(async (peer) => {
		expect(await received(peer, 0, request.length)).toEqual(request);
		peer.send(Buffer.from([0, 90, 0, 0, 0, 0, 0, 0, ...bytesOf("hello")]));
	});
	await using rig = await openRigThrough(url, proxy);
	const client = await rig.tunnel(authority);
	expect(await client.until("hello")).toBe(`${established}hello`);
	expect(proxy.peers[0]?.bytes).toBe(request.length);
});

test.each([
	[91, "did not open a connection to the target"],
	[92, "refused the credentials"],
	[93, "refused the credentials"],
])("answers 502 when a socks4 proxy answers with %d", async (code, sentence) => {
	await using proxy = await openProxy(async (peer) => {
		await received(peer, 0, 16);
		peer.send(Buffer.from([0, code, 0, 0, 0, 0, 0, 0]));
	});
	await using rig = await openRigThrough("socks4://127.0.0.1:PORT", proxy);
	const answer = await rig.ask("CONNECT a.test:443 HTTP/1.1\r\n\r\n");
	expect(answer).toContain("HTTP/1.1 502 ");
	expect(answer).toContain(sentence);
});

test("does not ask a socks4 proxy for an IPv6 address", async () => {
	await using proxy = await openOrigin();
	await using rig = await openRigThrough("socks4://127.0.0.1:PORT", proxy);
	expect(await rig.ask("CONNECT [2606:4700::1111]:443 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 502 ");
	expect(proxy.peers[0]?.bytes ?? 0).toBe(0);
});

test("sends a plain request through a socks5 proxy in origin form", async () => {
	await using proxy = await openProxy(async (peer) => {
		await received(peer, 0, 3);
		peer.send(Buffer.from([5, 0]));
		await received(peer, 3, 16);
		peer.send(Buffer.from(granted5));
		await peer.until("\r\n\r\n");
		peer.socket.end("HTTP/1.1 200 OK\r\n\r\nyes");
	});
	await using rig = await openRigThrough("socks5://127.0.0.1:PORT", proxy);
	expect(await rig.ask("GET http://a.test/x HTTP/1.1\r\n\r\n")).toContain("\r\n\r\nyes");
	expect(proxy.peers[0]?.text.slice(16)).toBe("GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
});
