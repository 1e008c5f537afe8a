import { expect, test } from "vitest";
import type { Meter } from "../../../src/egress/gateway.ts";
import { established, eventually, openAnswering, openOrigin, openRig, pause } from "./rig.ts";

class Allowance implements Meter {
	readonly limit: number;
	upBytes = 0;
	downBytes = 0;

	constructor(limit: number) {
		this.limit = limit;
	}

	up(bytes: number): void {
		this.upBytes += bytes;
	}

	down(bytes: number): void {
		this.downBytes += bytes;
	}

	isExhausted(): boolean {
		return this.upBytes + this.downBytes >= this.limit;
	}
}

test("counts on the meter what the gateway counts", async () => {
	await using origin = await openAnswering("HTTP/1.1 200 OK\r\n\r\nhello");
	const meter = new Allowance(Number.POSITIVE_INFINITY);
	await using rig = await openRig({ meter });
	await rig.ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`);
	expect(meter.upBytes).toBe(rig.gateway.bytesUp);
	expect(meter.downBytes).toBe(24);
});

test("stops a download within the chunk that uses the allowance up", async () => {
	await using origin = await openOrigin((peer) => peer.socket.end(Buffer.alloc(30_000_000)));
	const meter = new Allowance(1_000_000);
	await using rig = await openRig({ meter });
	const client = await rig.connect();
	client.send(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n\r\n`);
	await client.ended();
	expect(client.bytes).toBeLessThan(1_000_000 + established.length);
	expect(meter.downBytes).toBeLessThan(2_000_000);
	await eventually(() => rig.gateway.connections === 0);
});

test("stops an upload within the chunk that uses the allowance up", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ meter: new Allowance(1_000_000) });
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	client.send(Buffer.alloc(20_000_000));
	await client.ended();
	expect(origin.peers[0]?.bytes).toBeLessThan(1_000_000);
});

test("ends tunnels that were idle at their next byte", async () => {
	await using origin = await openOrigin();
	const meter = new Allowance(10);
	await using rig = await openRig({ meter });
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	meter.upBytes = 10;
	await pause(20);
	expect(client.isEnded).toBe(false);
	await client.send("x").ended();
	expect(origin.peers[0]?.text).toBe("");
});

test("answers 403 to new requests once the allowance is used up, and dials nothing", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ meter: new Allowance(0) });
	for (const request of [
		"CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n",
		"GET http://127.0.0.1:PORT/ HTTP/1.1\r\n\r\n",
	]) {
		const answer = await rig.ask(request.replace("PORT", `${origin.port}`));
		expect(answer).toContain("HTTP/1.1 403 ");
		expect(answer).toContain("is used up");
	}
	expect(origin.peers).toEqual([]);
});

test("answers 403 to the request whose own head uses the allowance up", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ meter: new Allowance(20) });
	const answer = await rig.ask(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`);
	expect(answer).toContain("HTTP/1.1 403 ");
	await eventually(() => origin.peers.every(({ isClosed, isEnded }) => isClosed || isEnded));
	expect(origin.peers[0]?.text ?? "").toBe("");
});

test("cuts a plain answer short when the allowance is used up in the middle of it", async () => {
	await using origin = await openAnswering(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5_000_000)}`);
	await using rig = await openRig({ meter: new Allowance(1_000_000) });
	const client = await rig.connect();
	client.send(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`);
	const answer = await client.ended();
	expect(answer.startsWith("HTTP/1.1 200 OK")).toBe(true);
	expect(answer).not.toContain("403");
	expect(answer.length).toBeLessThan(1_100_000);
});
