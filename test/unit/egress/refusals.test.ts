import type net from "node:net";
import { expect, test } from "vitest";
import { DialTimeout } from "../../../src/egress/connect.ts";
import type { Dial } from "../../../src/egress/dial.ts";
import { eventually, openOrigin, openRig } from "./rig.ts";

const publicAddress = () => Promise.resolve(["93.184.216.34"]);

test.each([
	"127.0.0.1",
	"127.1",
	"0x7f.1",
	"0177.0.0.1",
	"2130706433",
	"0",
	"0.0.0.0",
	"10.0.0.1",
	"100.64.0.1",
	"169.254.169.254",
	"172.16.0.1",
	"192.168.1.1",
	"168.63.129.16",
	"224.0.0.1",
	"255.255.255.255",
	"[::1]",
	"[::]",
	"[::ffff:127.0.0.1]",
	"[::ffff:a9fe:a9fe]",
	"[::127.0.0.1]",
	"[64:ff9b::7f00:1]",
	"[2002:7f00:1::]",
	"[2001::1]",
	"[fe80::1]",
	"[fd00::1]",
	"localhost",
	"LOCALHOST.",
	"a.localhost",
	"printer.local",
	"metadata.google.internal",
	"router.lan",
	"x.home.arpa",
	"intranet",
])("answers 403 to %s, by CONNECT and plainly, and says the operator's way out", async (host) => {
	await using rig = await openRig({ allow: [], resolve: publicAddress });
	for (const request of [`CONNECT ${host}:443 HTTP/1.1\r\n\r\n`, `GET http://${host}/ HTTP/1.1\r\n\r\n`]) {
		const answer = await rig.ask(request);
		expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 403 Forbidden");
		expect(answer).toContain("[egress] allow");
		expect(answer).toContain("\r\nConnection: close\r\n");
	}
	expect(rig.gateway.bytesUp + rig.gateway.bytesDown).toBe(0);
});

test("answers 403 to port 25", async () => {
	await using rig = await openRig({ allow: ["a.test:25"], resolve: publicAddress });
	expect(await rig.ask("CONNECT a.test:25 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 403 ");
});

test("reaches this machine by an allowed host:port and by nothing else", async () => {
	await using origin = await openOrigin((peer) => peer.socket.end("in"));
	const resolve = () => Promise.resolve(["::1", "127.0.0.1"]);
	await using other = await openOrigin();
	await using rig = await openRig({ allow: [`nas.lan:${origin.port}`], resolve });
	const client = await rig.tunnel(`NAS.lan.:${origin.port}`);
	expect(await client.ended()).toContain("in");
	expect(await rig.ask(`CONNECT nas.lan:${other.port} HTTP/1.1\r\n\r\n`)).toContain(" 403 ");
	expect(await rig.ask(`CONNECT other.lan:${origin.port} HTTP/1.1\r\n\r\n`)).toContain(" 403 ");
	expect(await rig.ask(`CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\n\r\n`)).toContain(" 403 ");
	expect(other.peers).toHaveLength(0);
});

test("answers 502 when the name has no address", async () => {
	await using rig = await openRig({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
	expect(await rig.ask("CONNECT a.test:443 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 502 ");
	await using empty = await openRig({ resolve: () => Promise.resolve([]) });
	expect(await empty.ask("CONNECT a.test:443 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 502 ");
});

test("answers 502 when nobody listens there", async () => {
	const gone = await openOrigin();
	await gone[Symbol.asyncDispose]();
	await using rig = await openRig();
	expect(await rig.ask(`CONNECT 127.0.0.1:${gone.port} HTTP/1.1\r\n\r\n`)).toContain("HTTP/1.1 502 ");
});

test("answers 504 when the way out takes too long", async () => {
	const dial: Dial = () => Promise.reject(new DialTimeout("no answer in time"));
	await using rig = await openRig({ dial });
	expect(await rig.ask("CONNECT a.test:443 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 504 ");
});

test("lets go of a refused client that neither reads nor closes", async () => {
	await using rig = await openRig();
	const client = await rig.connect();
	client.socket.pause();
	client.send("nonsense\r\n\r\n");
	await eventually(() => rig.gateway.connections === 1);
	await eventually(() => rig.gateway.connections === 0);
});

test("answers 403 to an upload that goes on, without a reset", async () => {
	await using rig = await openRig({ allow: [] });
	const client = await rig.connect();
	client
		.send("POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n")
		.send(Buffer.alloc(3_000_000));
	expect(await client.ended()).toContain("HTTP/1.1 403 ");
});

test("gives up the dial when the gateway closes", async () => {
	let reason: unknown;
	let isDialling = false;
	const dial: Dial = (_target, signal) =>
		new Promise<net.Socket>((_resolve, reject) => {
			isDialling = true;
			signal.addEventListener("abort", () => {
				reason = signal.reason;
				reject(signal.reason);
			});
		});
	await using rig = await openRig({ dial });
	const client = await rig.connect();
	client.send("CONNECT a.test:443 HTTP/1.1\r\n\r\n");
	await eventually(() => isDialling);
	await rig.gateway.close();
	expect(reason).toBeInstanceOf(Error);
});
