import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { OperatorError } from "../../../src/base/errors.ts";
import { silentLog } from "../../../src/base/log.ts";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { openGateway } from "../../../src/egress/gateway.ts";
import { established, eventually, openOrigin, openRig, type Peer, pause } from "./rig.ts";

const allow = parseAllowList([]);

test("cuts a head that is not complete in time, however it trickles", async () => {
	await using rig = await openRig({ limits: { headTimeoutMs: 150 } });
	const silent = await rig.connect();
	const slow = await rig.connect();
	slow.send("GET http://a.test/ HTTP/1.1\r\n");
	const timer = setInterval(() => slow.send("A: b\r\n"), 30);
	await Promise.all([silent.ended(), slow.ended()]);
	clearInterval(timer);
	await eventually(() => rig.gateway.connections === 0);
});

test("serves 300 tunnels at once, and counts them", async () => {
	await using origin = await openOrigin((peer) =>
		peer.socket.on("data", (chunk: Buffer) => peer.send(chunk)),
	);
	await using rig = await openRig();
	const clients = await Promise.all(
		Array.from({ length: 300 }, () => rig.tunnel(`127.0.0.1:${origin.port}`)),
	);
	expect(rig.gateway.connections).toBe(300);
	const echo = async (client: Peer, index: number) => {
		await client.send(`number ${index}.`).until(`number ${index}.`);
		expect(client.text).toBe(`${established}number ${index}.`);
		client.socket.destroy();
	};
	await Promise.all(clients.map(echo));
	for (const peer of origin.peers) peer.socket.end();
	await eventually(() => rig.gateway.connections === 0);
	expect(rig.gateway.bytesUp).toBe(rig.gateway.bytesDown);
});

test("serves 500 plain requests at once", async () => {
	await using origin = await openOrigin((peer) =>
		peer.socket.once("data", () => peer.socket.end("HTTP/1.1 200 OK\r\n\r\nyes")),
	);
	await using rig = await openRig();
	const request = `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`;
	const answers = await Promise.all(Array.from({ length: 500 }, () => rig.ask(request)));
	expect(answers.filter((answer) => answer.endsWith("yes"))).toHaveLength(500);
});

test("answers 503 beyond the connections that one session may have", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ limits: { maxConnections: 2 } });
	const first = await rig.tunnel(`127.0.0.1:${origin.port}`);
	await rig.tunnel(`127.0.0.1:${origin.port}`);
	const third = await rig.connect();
	expect(await third.ended()).toContain("HTTP/1.1 503 ");
	third.socket.destroy();
	first.socket.destroy();
	for (const peer of origin.peers) peer.socket.end();
	await eventually(() => rig.gateway.connections < 2);
	await rig.tunnel(`127.0.0.1:${origin.port}`);
});

test("closing ends every connection, in whatever state, and removes the socket", async () => {
	await using origin = await openOrigin();
	await using rig = await openRig({ resolve: () => new Promise(() => {}) });
	const tunnel = await rig.tunnel(`127.0.0.1:${origin.port}`);
	const stuck = await rig.tunnel(`127.0.0.1:${origin.port}`);
	origin.peers[1]?.socket.pause();
	stuck.send(Buffer.alloc(20_000_000));
	const waiting = await rig.connect();
	waiting.send(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\n\r\n`);
	await eventually(() => origin.peers.length === 3);
	const resolving = await rig.connect();
	resolving.send("CONNECT a.test:443 HTTP/1.1\r\n\r\n");
	const reading = await rig.connect();
	reading.send("GET ");
	const refused = await rig.connect();
	refused.send("nonsense\r\n\r\n");
	await eventually(() => rig.gateway.connections === 6);
	await Promise.all([rig.gateway.close(), rig.gateway.close()]);
	expect(rig.gateway.connections).toBe(0);
	for (const peer of [tunnel, waiting, resolving, reading, refused]) await peer.ended();
	origin.peers[1]?.socket.resume();
	for (const peer of origin.peers) await peer.ended();
	await expect(stat(rig.socketPath)).rejects.toThrow("ENOENT");
	await expect(rig.connect()).rejects.toThrow("ENOENT");
});

test("closes when its signal aborts, and does not open when it has", async () => {
	const abort = new AbortController();
	await using rig = await openRig({ signal: abort.signal });
	const client = await rig.connect();
	await eventually(() => rig.gateway.connections === 1);
	abort.abort(new Error("over"));
	await client.ended();
	await rig.gateway.close();
	await expect(rig.connect()).rejects.toThrow("ENOENT");
	await expect(openRig({ signal: abort.signal })).rejects.toThrow("over");
});

test("leaves nothing behind that keeps a process alive", async () => {
	const script = `
		import net from "node:net";
		import { openGateway } from "${path.resolve("src/egress/gateway.ts")}";
		import { parseAllowList } from "${path.resolve("src/egress/allow-list.ts")}";
		import { silentLog } from "${path.resolve("src/base/log.ts")}";
		const socketPath = "/tmp/egress-" + process.pid + ".sock";
		const gateway = await openGateway({ socketPath, allow: parseAllowList(["127.0.0.1"]), log: silentLog, resolve: () => new Promise(() => {}) });
		for (const text of ["CONNECT a.test:1 HTTP/1.1\\r\\n\\r\\n", "GET ", "x\\r\\n\\r\\n", "CONNECT 127.0.0.1:1 HTTP/1.1\\r\\n\\r\\n"]) {
			const socket = net.connect(socketPath);
			socket.on("error", () => {}).on("data", () => {});
			socket.write(text);
		}
		await new Promise((resolve) => setTimeout(resolve, 200));
		await gateway.close();
		process.stdout.write("closed");
	`;
	const child = Bun.spawn([process.execPath, "-e", script], {
		stdout: "pipe",
		stderr: "inherit",
		timeout: 4_000,
	});
	expect(await new Response(child.stdout).text()).toBe("closed");
	expect(await child.exited).toBe(0);
});

test("replaces a stale socket, opens it to every user, and touches no other file", async () => {
	const folder = await mkdtemp(path.join(os.tmpdir(), "egress-"));
	try {
		const socketPath = path.join(folder, "egress.sock");
		// A daemon that was killed leaves its socket file behind.
		const script = `require("net").createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, "SIGKILL"))`;
		await Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "ignore" }).exited;
		expect((await stat(socketPath)).isSocket()).toBe(true);
		const gateway = await openGateway({ socketPath, allow, log: silentLog });
		expect((await stat(socketPath)).mode & 0o777).toBe(0o666);
		const socket = net.connect(socketPath);
		await eventually(() => gateway.connections === 1);
		socket.destroy();
		await gateway.close();
		await writeFile(socketPath, "precious");
		await expect(openGateway({ socketPath, allow, log: silentLog })).rejects.toThrow("EADDRINUSE");
		expect((await stat(socketPath)).size).toBe(8);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});

test("says that a socket path is too long", async () => {
	const socketPath = `/tmp/${"x".repeat(110)}/egress.sock`;
	await expect(openGateway({ socketPath, allow, log: silentLog })).rejects.toBeInstanceOf(OperatorError);
});

test("holds little memory for a reader that has stopped", async () => {
	await using origin = await openOrigin((peer) => {
		const chunk = Buffer.alloc(1_000_000);
		const pump = () => {
			while (!peer.socket.destroyed && peer.socket.write(chunk));
		};
		peer.socket.on("drain", pump);
		pump();
	});
	await using rig = await openRig();
	const before = process.memoryUsage().rss;
	for (let index = 0; index < 10; index++) {
		const client = await rig.tunnel(`127.0.0.1:${origin.port}`);
		client.socket.pause();
	}
	await pause(1_000);
	expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});
