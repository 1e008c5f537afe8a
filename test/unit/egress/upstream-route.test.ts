import { Writable } from "node:stream";
import pino from "pino";
import { expect, test, vi } from "vitest";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import type { Resolve } from "../../../src/egress/dial.ts";
import { parseUpstream } from "../../../src/egress/exit.ts";
import { exitRoute } from "../../../src/egress/upstream-route.ts";
import { eventually, openOrigin, openRig } from "./rig.ts";
import { openProxy, openRigThrough, routeThrough } from "./upstream-rig.ts";

const connect = "CONNECT a.test:443 HTTP/1.1\r\n\r\n";
const never = new AbortController().signal;

test("looks the proxy's host up for every connection, and no target's", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.send("HTTP/1.1 200 OK\r\n\r\n");
	});
	const resolve = vi.fn<Resolve>(() => Promise.resolve(["127.0.0.1"]));
	await using rig = await openRigThrough("http://proxy.test:PORT", proxy, { exit: { resolve } });
	await rig.tunnel("a.test:443");
	await rig.tunnel("b.test:443");
	expect(resolve.mock.calls).toEqual([["proxy.test"], ["proxy.test"]]);
});

test.each(["http", "https", "socks4", "socks5"])(
	"does not dial a %s proxy whose name has come to lead somewhere private",
	async (protocol) => {
		await using proxy = await openOrigin();
		await using rig = await openRigThrough(`${protocol}://proxy.test:PORT`, proxy, {
			exit: { allow: parseAllowList([]), resolve: () => Promise.resolve(["93.184.216.34", "127.0.0.1"]) },
		});
		for (const request of [connect, "GET http://a.test/ HTTP/1.1\r\n\r\n"]) {
			const answer = await rig.ask(request);
			expect(answer).toContain("HTTP/1.1 502 ");
			expect(answer).toContain("The session's own proxy could not be reached.");
			expect(answer).not.toMatch(/proxy\.test|127/);
		}
		expect(proxy.peers).toEqual([]);
	},
);

test.each([
	["location", "The location's proxy"],
	["residential", "The residential proxy"],
	["own_proxy", "The session's own proxy"],
] as const)("names a dead %s exit, not its address, in page and log", async (kind, name) => {
	const gone = await openOrigin();
	await gone[Symbol.asyncDispose]();
	const lines: string[] = [];
	const sink = new Writable({
		write: (chunk: Buffer, _encoding, done) => {
			lines.push(chunk.toString());
			done();
		},
	});
	const upstream = parseUpstream(`socks5://user:geheim@127.0.0.1:${gone.port}`);
	if (upstream === undefined) throw new Error("unread");
	await using rig = await openRig({
		...exitRoute({ kind, upstream }, { allow: parseAllowList(["127.0.0.1"]) }),
		log: pino({ level: "debug" }, sink),
	});
	const answer = await rig.ask(connect);
	expect(answer).toContain("HTTP/1.1 502 ");
	expect(answer).toContain(`${name} could not be reached.`);
	const secret = new RegExp(`geheim|127\\.0\\.0\\.1|${gone.port}`);
	expect(answer).not.toMatch(secret);
	expect(lines.join("")).toContain(`${kind} exit: unreachable (ECONNREFUSED)`);
	expect(lines.join("")).not.toMatch(secret);
});

test.each(["http", "socks4", "socks5"])("answers 504 when a %s proxy stays silent", async (protocol) => {
	await using proxy = await openOrigin();
	await using rig = await openRigThrough(`${protocol}://127.0.0.1:PORT`, proxy, { exit: { overallMs: 100 } });
	const answer = await rig.ask(connect);
	expect(answer).toContain("HTTP/1.1 504 ");
	expect(answer).toContain("The session's own proxy did not answer in time.");
	await eventually(() => proxy.peers[0]?.isClosed === true || proxy.peers[0]?.isEnded === true);
});

test("answers 504 when the proxy's name is never resolved", async () => {
	await using proxy = await openOrigin();
	await using rig = await openRigThrough("http://proxy.test:PORT", proxy, {
		exit: { overallMs: 50, resolve: () => new Promise(() => {}) },
	});
	expect(await rig.ask(connect)).toContain("HTTP/1.1 504 ");
});

test("never goes to the target itself when the proxy fails", async () => {
	await using target = await openOrigin();
	await using proxy = await openProxy((peer) => void peer.socket.end("HTTP/1.1 407 No\r\n\r\n"));
	await using rig = await openRigThrough("http://user:wrong@127.0.0.1:PORT", proxy);
	const authority = `127.0.0.1:${target.port}`;
	await rig.ask(`CONNECT ${authority} HTTP/1.1\r\n\r\n`);
	await rig.ask(`GET http://${authority}/ HTTP/1.1\r\n\r\n`);
	expect(proxy.peers).toHaveLength(2);
	expect(target.peers).toEqual([]);
});

test("lets go of the proxy when the dial is called off during the handshake", async () => {
	await using proxy = await openOrigin();
	const caller = new AbortController();
	const dialling = routeThrough("socks5://127.0.0.1:PORT", proxy).dial(
		{ host: "a.test", port: 443 },
		caller.signal,
	);
	const outcome = dialling.catch((thrown: unknown) => thrown);
	await eventually(() => proxy.peers[0]?.bytes === 3);
	caller.abort(new Error("called off"));
	expect(await outcome).toEqual(new Error("called off"));
	await eventually(() => proxy.peers[0]?.isEnded === true || proxy.peers[0]?.isClosed === true);
});

test("gives a paused socket that may be half-open", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.send("HTTP/1.1 200 OK\r\n\r\nearly");
	});
	const socket = await routeThrough("http://127.0.0.1:PORT", proxy).dial(
		{ host: "a.test", port: 443 },
		never,
	);
	expect([socket.isPaused(), socket.allowHalfOpen, socket.listenerCount("data")]).toEqual([true, true, 0]);
	socket.destroy();
});

test("lets names of an internal network through to the exit only where they are allowed", async () => {
	await using proxy = await openProxy(async (peer) => {
		await peer.until("\r\n\r\n");
		peer.send("HTTP/1.1 200 OK\r\n\r\n");
	});
	await using rig = await openRigThrough("http://127.0.0.1:PORT", proxy, {
		exit: { allow: parseAllowList(["127.0.0.1", "nas.lan:8080"]) },
	});
	await rig.tunnel("nas.lan:8080");
	expect(await rig.ask("CONNECT nas.lan:8081 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 403 ");
	expect(await rig.ask("CONNECT other.lan:8080 HTTP/1.1\r\n\r\n")).toContain("HTTP/1.1 403 ");
});

test("dials by itself for the direct exit", async () => {
	await using origin = await openOrigin((peer) => peer.socket.end("in"));
	const route = exitRoute({ kind: "direct" }, { allow: parseAllowList(["127.0.0.1"]) });
	expect(route.forward).toBeUndefined();
	await using rig = await openRig(route);
	const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
	expect(await client.ended()).toContain("in");
});
