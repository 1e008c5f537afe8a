/** Spec 5.9: the connectUrl carries the session's own token and stops working when the session ends. */
import { describe, expect, test } from "vitest";
import { type ContractDaemon, objectIn, startContractDaemon, type User } from "../support/contract-daemon.ts";
import { startFakeCdp } from "../support/fake-cdp.ts";
import { sendRaw } from "../support/raw-http.ts";
import { waitFor } from "../support/wait-for.ts";

const MINUTE_MS = 60_000;
const unknownId = "brl-v-v7-00000000000000000000";

async function connectUrlOf(user: User, id: string): Promise<string> {
	return String(objectIn((await user.call("GET", `/web/sessions/${id}`)).body, "data")["connectUrl"]);
}

function tokenOf(connectUrl: string): string {
	return new URL(connectUrl).searchParams.get("token") ?? "";
}

/** A CDP client: what it hears, and how its connection ends. */
class Client {
	readonly #socket: WebSocket;
	readonly opened: Promise<void>;
	readonly closed: Promise<{ code: number; reason: string }>;

	constructor(connectUrl: string) {
		this.#socket = new WebSocket(connectUrl);
		this.opened = new Promise((resolve) => this.#socket.addEventListener("open", () => resolve()));
		this.closed = new Promise((resolve) =>
			this.#socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
		);
	}

	/** What comes back for the text. */
	echo(text: string): Promise<string> {
		const answer = new Promise<string>((resolve) =>
			this.#socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true }),
		);
		this.#socket.send(text);
		return answer;
	}

	async close(): Promise<void> {
		this.#socket.close();
		await this.closed;
	}
}

function refusal(daemon: ContractDaemon, path: string): Promise<string> {
	const headers = [
		"Host: localhost",
		"Connection: Upgrade",
		"Upgrade: websocket",
		"Sec-WebSocket-Version: 13",
	];
	const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`;
	return sendRaw(daemon.port, [`GET ${path} HTTP/1.1`, ...headers, key, "", ""].join("\r\n"));
}

test("a connectUrl leads to the session's browser, for as many clients as there are", async () => {
	await using cdp = await startFakeCdp();
	await using daemon = await startContractDaemon();
	daemon.host.cdp = cdp.address;
	const user = await daemon.addUser();
	const id = await user.startRunning();
	const url = await connectUrlOf(user, id);
	const clients = [new Client(url), new Client(url)];
	for (const [index, client] of clients.entries()) {
		await client.opened;
		expect(await client.echo(`message ${index} ä🦦`)).toBe(`message ${index} ä🦦`);
	}
	expect(cdp.connections.map(({ path }) => path)).toEqual([cdp.address.path, cdp.address.path]);
	expect(JSON.stringify(cdp.connections)).not.toContain(tokenOf(url));
	for (const client of clients) await client.close();
});

test("a connection that comes while the browser is starting goes through once it is ready", async () => {
	await using cdp = await startFakeCdp();
	await using daemon = await startContractDaemon();
	daemon.host.cdp = cdp.address;
	const user = await daemon.addUser();
	const id = await user.start();
	const client = new Client(await connectUrlOf(user, id));
	const browser = await daemon.host.browserOf(id);
	browser.becomeReady();
	await client.opened;
	expect(await client.echo("early")).toBe("early");
	await client.close();
});

describe("refuses", () => {
	test("an unknown session, a foreign token, a wrong one and none, all with the same answer", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const [id, other] = [await user.startRunning(), await user.startRunning()];
		const [own, foreign] = [tokenOf(await connectUrlOf(user, id)), tokenOf(await connectUrlOf(user, other))];
		const answers = await Promise.all(
			[
				`/web/${unknownId}/cdp?token=${own}`,
				`/web/${id}/cdp?token=${foreign}`,
				`/web/${id}/cdp?token=${own.slice(1)}`,
				`/web/${id}/cdp?token=`,
				`/web/${id}/cdp`,
				`/web/${id}/cdp?key=${user.key}`,
				`/web/${id}/cdp?token=${user.key}`,
			].map((path) => refusal(daemon, path)),
		);
		expect(new Set(answers).size).toBe(1);
		expect(answers[0]).toMatch(/^HTTP\/1\.1 404 [^]*"status":"denied"/);
		expect(daemon.sessions.get(user.account.id, id).state.status).toBe("running");
	});

	test.each(["/web", "/web/x", "/cdp", "/devtools/browser/fake", "/json/version", "/v8/web/sessions", "/"])(
		"an upgrade at %s",
		async (path) => {
			await using daemon = await startContractDaemon();
			expect(await refusal(daemon, path)).toMatch(/^HTTP\/1\.1 404 [^]*"status":"error"/);
		},
	);

	test("a session that has ended, and says why", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const id = await user.startRunning();
		const path = `/web/${id}/cdp?token=${tokenOf(await connectUrlOf(user, id))}`;
		await user.call("DELETE", `/web/sessions/${id}`);
		expect(await refusal(daemon, path)).toMatch(/^HTTP\/1\.1 410 [^]*stopped/);
	});

	test("a client whose browser cannot be reached, with 503 and a sentence", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		daemon.host.cdp = { socketPath: "/nonexistent/cdp.sock", path: "/devtools/browser/gone" };
		const id = await user.startRunning();
		const path = `/web/${id}/cdp?token=${tokenOf(await connectUrlOf(user, id))}`;
		expect(await refusal(daemon, path)).toMatch(/^HTTP\/1\.1 503 [^]*"The browser cannot be reached\."/);
	});

	test("a client that waits for a browser that fails", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const id = await user.start();
		const path = `/web/${id}/cdp?token=${tokenOf(await connectUrlOf(user, id))}`;
		const waiting = refusal(daemon, path);
		await expectLease(daemon, user, id);
		const browser = await daemon.host.browserOf(id);
		browser.failToStart("no");
		expect(await waiting).toMatch(/^HTTP\/1\.1 410 [^]*error/);
	});
});

/** Resolves when a client holds the session: then the reaper touches it. */
async function expectLease(daemon: ContractDaemon, user: User, id: string): Promise<void> {
	await waitFor(() => {
		daemon.clock.advance(6_000);
		daemon.tick();
		return daemon.sessions.get(user.account.id, id).lastSeenAt === daemon.clock.now();
	}, "a client holds the session");
}

describe("the end of a session closes its connections", () => {
	const ends: [string, number, (daemon: ContractDaemon, user: User, id: string) => unknown][] = [
		["stopped", 4001, (_daemon, user, id) => user.call("DELETE", `/web/sessions/${id}`)],
		[
			"timeout",
			4002,
			(daemon) => {
				daemon.clock.advance(18 * 60 * MINUTE_MS);
				daemon.tick();
			},
		],
		["error", 4005, (daemon, _user, id) => daemon.host.get(id).exit("failed")],
	];

	test.each(ends)("as %s with %d", async (reason, code, end) => {
		await using cdp = await startFakeCdp();
		await using daemon = await startContractDaemon();
		daemon.host.cdp = cdp.address;
		const user = await daemon.addUser();
		const id = await user.startRunning();
		const client = new Client(await connectUrlOf(user, id));
		await client.opened;
		await client.echo("hello");
		await end(daemon, user, id);
		expect(await client.closed).toEqual({ code, reason });
	});
});

test("a connected client keeps the session alive; 5 minutes after it has left the session ends", async () => {
	await using cdp = await startFakeCdp();
	await using daemon = await startContractDaemon();
	daemon.host.cdp = cdp.address;
	const user = await daemon.addUser();
	const id = await user.startRunning();
	const status = () => daemon.sessions.get(user.account.id, id).state;
	const client = new Client(await connectUrlOf(user, id));
	await client.opened;
	await client.echo("hello");
	daemon.clock.advance(60 * MINUTE_MS);
	daemon.tick();
	expect(status()).toEqual({ status: "running" });
	daemon.clock.advance(1);
	await client.close();
	await waitFor(
		() => daemon.sessions.get(user.account.id, id).lastSeenAt === daemon.clock.now(),
		"the lease is given back",
	);
	daemon.clock.advance(5 * MINUTE_MS - 1);
	daemon.tick();
	expect(status()).toEqual({ status: "running" });
	daemon.clock.advance(1);
	daemon.tick();
	expect(status()).toMatchObject({ status: "ended", reason: "disconnect" });
});

test("no session token is logged, whatever becomes of a connection", async () => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const id = await user.startRunning();
	const token = tokenOf(await connectUrlOf(user, id));
	// The fake host's CDP socket does not exist: the connection fails behind the gateway.
	await refusal(daemon, `/web/${id}/cdp?token=${token}`);
	await refusal(daemon, `/web/${id}/cdp?token=${token}x`);
	await waitFor(() => daemon.logged.text().includes("a CDP connection failed"), "the failure is logged");
	expect(daemon.logged.text()).not.toContain(token);
});
