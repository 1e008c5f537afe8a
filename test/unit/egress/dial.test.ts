import net from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { DialTimeout } from "../../../src/egress/connect.ts";
import { directDial, type Resolve, systemResolve } from "../../../src/egress/dial.ts";
import { EgressRefusal } from "../../../src/egress/policy.ts";
import { openOrigin, openRig, pause } from "./rig.ts";

const never = new AbortController().signal;
const limits = { attemptMs: 100, staggerMs: 20, overallMs: 300 };

afterEach(() => {
	vi.restoreAllMocks();
});

/** Leads every dial to the origin, whatever its address, and keeps what was asked for. */
function spyOnConnect(port: number): unknown[] {
	const dialled: unknown[] = [];
	const connect = net.connect.bind(net);
	vi.spyOn(net, "connect").mockImplementation((options: unknown) => {
		dialled.push(options);
		return connect({ host: "127.0.0.1", port, allowHalfOpen: true });
	});
	return dialled;
}

test("looks a name up once and dials the very address that was checked", async () => {
	await using origin = await openOrigin();
	const dialled = spyOnConnect(origin.port);
	const resolve = vi.fn<Resolve>(() => Promise.resolve(["93.184.216.34"]));
	const socket = await directDial({ allow: parseAllowList([]), resolve })(
		{ host: "a.test", port: 81 },
		never,
	);
	socket.destroy();
	expect(resolve.mock.calls).toEqual([["a.test"]]);
	expect(dialled).toEqual([expect.objectContaining({ host: "93.184.216.34", port: 81 })]);
});

test("never dials privately for a name that alternates between public and private", async () => {
	await using origin = await openOrigin();
	const dialled = spyOnConnect(origin.port);
	let calls = 0;
	const resolve = () => Promise.resolve([calls++ % 2 === 0 ? "93.184.216.34" : "192.168.77.10"]);
	const dial = directDial({ allow: parseAllowList([]), resolve });
	const outcomes = await Promise.allSettled(
		Array.from({ length: 30 }, () => dial({ host: "a.test", port: 80 }, never)),
	);
	for (const outcome of outcomes) {
		if (outcome.status === "fulfilled") outcome.value.destroy();
		else expect(outcome.reason).toBeInstanceOf(EgressRefusal);
	}
	expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(15);
	expect(dialled).toHaveLength(15);
	for (const options of dialled) expect(options).toMatchObject({ host: "93.184.216.34" });
});

test("dials nothing for one private answer among public ones", async () => {
	const connect = vi.spyOn(net, "connect");
	const dial = directDial({
		allow: parseAllowList([]),
		resolve: () => Promise.resolve(["93.184.216.34", "10.0.0.1"]),
	});
	await expect(dial({ host: "a.test", port: 80 }, never)).rejects.toMatchObject({
		reason: "private-address",
		host: "a.test",
	});
	expect(connect).not.toHaveBeenCalled();
});

test("looks up neither an address nor an internal name that nothing allows", async () => {
	const resolve = vi.fn<Resolve>(() => Promise.resolve(["93.184.216.34"]));
	const dial = directDial({ allow: parseAllowList([]), resolve });
	await expect(dial({ host: "127.0.0.1", port: 80 }, never)).rejects.toMatchObject({
		reason: "private-address",
	});
	await expect(dial({ host: "nas.lan", port: 80 }, never)).rejects.toMatchObject({ reason: "internal-name" });
	expect(resolve).not.toHaveBeenCalled();
});

test("dials an internal name at its allowed addresses only", async () => {
	await using origin = await openOrigin();
	const dialled = spyOnConnect(origin.port);
	const resolve = () => Promise.resolve(["10.0.0.2", "93.184.216.34", "10.0.0.1"]);
	const dial = directDial({ allow: parseAllowList(["10.0.0.1"]), resolve });
	const socket = await dial({ host: "nas.lan", port: 80 }, never);
	socket.destroy();
	expect(dialled).toEqual([expect.objectContaining({ host: "10.0.0.1", port: 80 })]);
});

test("does not say whether an internal name exists", async () => {
	const resolve = () => Promise.reject(new Error("ENOTFOUND"));
	const dial = directDial({ allow: parseAllowList(["10.0.0.1"]), resolve });
	await expect(dial({ host: "nas.lan", port: 80 }, never)).rejects.toMatchObject({ reason: "internal-name" });
});

test("goes on to the next address when one refuses", async () => {
	await using origin = await openOrigin();
	const resolve = () => Promise.resolve(["127.0.0.2", "127.0.0.3", "127.0.0.1"]);
	const dial = directDial({ allow: parseAllowList(["127.0.0.0/8"]), resolve, limits });
	const socket = await dial({ host: "a.test", port: origin.port }, never);
	expect(socket.remoteAddress).toBe("127.0.0.1");
	socket.destroy();
});

/** Sockets that never connect, in the place of those to these hosts. */
function silence(...hosts: string[]): net.Socket[] {
	const silent: net.Socket[] = [];
	const connect = net.connect.bind(net);
	vi.spyOn(net, "connect").mockImplementation((options: unknown) => {
		if (typeof options !== "object" || options === null || !("host" in options) || !("port" in options))
			throw new Error("?");
		if (!hosts.includes(String(options.host)))
			return connect({ host: String(options.host), port: Number(options.port) });
		const socket = new net.Socket();
		silent.push(socket);
		return socket;
	});
	return silent;
}

test("tries the next address beside one that does not answer, and drops the loser", async () => {
	await using origin = await openOrigin();
	const silent = silence("127.0.0.2");
	const resolve = () => Promise.resolve(["127.0.0.2", "127.0.0.1"]);
	const dial = directDial({ allow: parseAllowList(["127.0.0.0/8"]), resolve, limits });
	const start = performance.now();
	const socket = await dial({ host: "a.test", port: origin.port }, never);
	expect(performance.now() - start).toBeLessThan(90);
	expect(silent.map(({ destroyed }) => destroyed)).toEqual([true]);
	socket.destroy();
});

test("gives up an address after its time, and the name after all of them", async () => {
	const silent = silence("127.0.0.2", "127.0.0.3");
	const resolve = () => Promise.resolve(["127.0.0.2", "127.0.0.3"]);
	const dial = directDial({ allow: parseAllowList(["127.0.0.0/8"]), resolve, limits });
	await expect(dial({ host: "a.test", port: 80 }, never)).rejects.toBeInstanceOf(DialTimeout);
	expect(silent.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test("times out with a resolver that never answers", async () => {
	const dial = directDial({ allow: parseAllowList([]), resolve: () => new Promise(() => {}), limits });
	await expect(dial({ host: "a.test", port: 80 }, never)).rejects.toBeInstanceOf(DialTimeout);
});

test("stops at once when its signal aborts", async () => {
	const silent = silence("127.0.0.2");
	const dial = directDial({ allow: parseAllowList(["127.0.0.0/8"]), limits });
	const abort = new AbortController();
	const dialling = dial({ host: "127.0.0.2", port: 80 }, abort.signal);
	await pause(20);
	abort.abort(new Error("gone"));
	await expect(dialling).rejects.toThrow("gone");
	expect(silent.map(({ destroyed }) => destroyed)).toEqual([true]);
	await expect(dial({ host: "127.0.0.2", port: 80 }, abort.signal)).rejects.toThrow("gone");
});

test("tries ten addresses of a name at most", async () => {
	const many = Array.from({ length: 50 }, (_, index) => `127.0.1.${index}`);
	const silent = silence(...many);
	const quick = { attemptMs: 200, staggerMs: 1, overallMs: 300 };
	const dial = directDial({
		allow: parseAllowList(["127.0.0.0/8"]),
		resolve: () => Promise.resolve(many),
		limits: quick,
	});
	await expect(dial({ host: "a.test", port: 80 }, never)).rejects.toBeInstanceOf(DialTimeout);
	expect(silent).toHaveLength(10);
});

test("resolves through the system by default", async () => {
	expect(await systemResolve("localhost")).toContain("127.0.0.1");
	await expect(systemResolve("nosuch.invalid")).rejects.toThrow("ENOTFOUND");
});

test("answers 403 whenever a rebinding name has a private answer, in whatever place", async () => {
	await using lan = await openOrigin((peer) => peer.socket.end("HTTP/1.1 200 OK\r\n\r\nLAN"));
	let calls = 0;
	const answers = [
		["127.0.0.1"],
		["93.184.216.34", "127.0.0.1"],
		["127.0.0.1", "93.184.216.34"],
		["::ffff:127.0.0.1"],
	];
	await using rig = await openRig({
		allow: [],
		resolve: async () => answers[calls++ % answers.length] ?? [],
	});
	for (let index = 0; index < 30; index++) {
		expect(await rig.ask(`GET http://a.test:${lan.port}/ HTTP/1.1\r\n\r\n`)).toContain("HTTP/1.1 403 ");
	}
	expect(lan.peers).toHaveLength(0);
});
