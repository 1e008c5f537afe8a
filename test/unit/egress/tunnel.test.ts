import { expect, test } from "vitest";
import { established, eventually, openOrigin, openRig, pause } from "./rig.ts";

test("splices a CONNECT both ways and counts every byte", async () => {
	await using origin = await openOrigin((peer) =>
		peer.socket.on("data", (chunk: Buffer) => peer.send(`<${chunk.length}>`)),
	);
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	await client.send("hello").until("<5>");
	await client.send("hi").until("<2>");
	expect(client.text).toBe(`${established}<5><2>`);
	expect(rig.gateway.bytesUp).toBe(7);
	expect(rig.gateway.bytesDown).toBe(6);
});

test("forwards what came right behind the CONNECT head", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n\r\nearly`);
	await client.until("200");
	client.send(" late");
	await eventually(() => origin.peers[0]?.text === "early late");
	expect(rig.gateway.bytesUp).toBe(10);
});

test("takes a head that arrives byte by byte", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig();
	const client = await rig.connect();
	for (const byte of `CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\nHost: x\r\n\r\n`) {
		client.send(byte);
		await pause(0);
	}
	expect(await client.until("\r\n\r\n")).toBe(established);
});

test("leaves the way down open when the client ends", async () => {
	await using origin = await openOrigin((peer) =>
		peer.socket.once("end", () => setTimeout(() => peer.send("after").socket.end("wards"), 50)),
	);
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.socket.end("last");
	expect(await client.ended()).toBe(`${established}afterwards`);
	expect(origin.peers[0]?.text).toBe("last");
	await eventually(() => rig.gateway.connections === 0);
});

test("leaves the way up open when the target ends", async () => {
	await using origin = await openOrigin((peer) => peer.socket.end("bye"));
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	await client.ended();
	await pause(30);
	client.send("still");
	await pause(30);
	client.socket.end(" here");
	await eventually(() => origin.peers[0]?.isEnded === true);
	expect(origin.peers[0]?.text).toBe("still here");
	expect(client.text).toBe(`${established}bye`);
	await eventually(() => rig.gateway.connections === 0);
});

test("takes a client that ended together with its CONNECT", async () => {
	await using origin = await openOrigin((peer) => peer.socket.once("end", () => peer.socket.end("got it")));
	await using rig = await openRig();
	const client = await rig.connect();
	client.socket.end(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n\r\nall`);
	expect(await client.ended()).toBe(`${established}got it`);
	expect(origin.peers[0]?.text).toBe("all");
	await eventually(() => rig.gateway.connections === 0);
});

test("ends both sides when the target resets", async () => {
	await using origin = await openOrigin((peer) =>
		peer.socket.once("data", () => peer.socket.resetAndDestroy()),
	);
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.send("x");
	await client.ended();
	await eventually(() => rig.gateway.connections === 0);
});

test("ends the target when the client vanishes", async () => {
	await using origin = await openOrigin((peer) => peer.socket.once("end", () => peer.socket.end()));
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.socket.destroy();
	await eventually(() => origin.peers[0]?.isClosed === true);
	await eventually(() => rig.gateway.connections === 0);
});

test("lets go of a target that ignores the client's end and stays silent", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ limits: { halfClosedIdleMs: 100 } });
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.socket.end();
	await client.closed();
	expect(rig.gateway.connections).toBe(0);
});

test("keeps a half-closed tunnel while the target goes on sending", async () => {
	await using origin = await openOrigin((peer) => {
		const timer = setInterval(() => peer.send("."), 40);
		peer.socket.once("close", () => clearInterval(timer));
		setTimeout(() => peer.socket.end("!"), 700);
	});
	await using rig = await openRig({ limits: { halfClosedIdleMs: 200 } });
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.socket.end();
	expect((await client.ended()).endsWith("!")).toBe(true);
});

test("does not cut an idle tunnel", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ limits: { headTimeoutMs: 50, halfClosedIdleMs: 50 } });
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	await pause(300);
	client.send("x");
	await eventually(() => origin.peers[0]?.text === "x");
});

test("moves 30 MB each way at once, exactly, and delivers the tail behind an early end", async () => {
	const size = 30_000_000;
	const data = Buffer.alloc(size, "0123456789abcdef");
	await using origin = await openOrigin((peer) => peer.socket.end(data));
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.socket.end(data);
	await eventually(
		() => client.isEnded && origin.peers[0]?.isEnded === true,
		() => "both ends",
	);
	expect(origin.peers[0]?.buffer.equals(data)).toBe(true);
	expect(client.buffer.subarray(established.length).equals(data)).toBe(true);
	expect(rig.gateway.bytesUp).toBe(size);
	expect(rig.gateway.bytesDown).toBe(size);
	await eventually(() => rig.gateway.connections === 0);
});

test("delivers all of a slow upload whose target had ended first", async () => {
	const data = Buffer.alloc(8_000_000, 7);
	await using origin = await openOrigin((peer) => {
		peer.socket.end();
		peer.socket.pause();
		setTimeout(() => peer.socket.resume(), 300);
	});
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.socket.end(data);
	await eventually(() => origin.peers[0]?.isEnded === true);
	expect(origin.peers[0]?.bytes).toBe(data.length);
});

test("stops reading from a target whose client has stopped reading", async () => {
	let sent = 0;
	await using origin = await openOrigin(({ socket }) => {
		const chunk = Buffer.alloc(65_536);
		const pump = () => {
			while (!socket.destroyed && sent < 200_000_000) {
				sent += chunk.length;
				if (!socket.write(chunk)) return;
			}
		};
		socket.on("drain", pump);
		pump();
	});
	await using rig = await openRig();
	const client = await rig.connect();
	client.send(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n\r\n`);
	await client.until("200");
	client.socket.pause();
	await pause(500);
	const counted = rig.gateway.bytesDown;
	await pause(300);
	expect(rig.gateway.bytesDown).toBe(counted);
	expect(counted - client.bytes).toBeLessThan(4_000_000);
	client.socket.resume();
	await eventually(() => rig.gateway.bytesDown > counted + 20_000_000);
});

test("stops reading from a client whose target has stopped reading", async () => {
	await using origin = await openOrigin((peer) => peer.socket.pause());
	await using rig = await openRig();
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.send(Buffer.alloc(40_000_000));
	await pause(500);
	const counted = rig.gateway.bytesUp;
	await pause(200);
	expect(rig.gateway.bytesUp).toBe(counted);
	expect(counted).toBeLessThan(12_000_000);
	origin.peers[0]?.socket.resume();
	await eventually(() => rig.gateway.bytesUp === 40_000_000);
});
