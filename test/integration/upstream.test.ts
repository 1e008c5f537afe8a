/** Exits through proxies that others wrote. What a fake one proves is test/unit/egress/upstream-*.test.ts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import net from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllowList } from "../../src/egress/allow-list.ts";
import { type ExitOptions, exitRoute } from "../../src/egress/upstream-route.ts";
import { established, openRig, Peer, type Rig } from "../unit/egress/rig.ts";
import { certificates, removeCertificates } from "./upstream-certificates.ts";
import { type RealProxy, startProxy } from "./upstream-proxies.ts";
import { missing, proxyNames, recipeOf } from "./upstream-recipes.ts";

const proxies = proxyNames.map((name) => ({ name, ...recipeOf(name), reason: missing(name) }));
const installed = proxies.filter(({ reason }) => reason === undefined);
const absent = proxies.filter(({ reason }) => reason !== undefined);
const big = Buffer.alloc(20_000_000, "0123456789abcdefghijklmnopqrstuvw");
const sha = (data: Buffer) => createHash("sha256").update(data).digest("hex");

/** An http and a TLS site on loopback; `seen` is what reached them. */
interface Site {
	readonly http: number;
	readonly tls: number;
	readonly seen: string[];
	close(): void;
}

async function openSite(): Promise<Site> {
	const seen: string[] = [];
	const http = createServer((request, response) => {
		seen.push(`${request.method} ${request.url}`);
		if (request.headers["proxy-authorization"] !== undefined) seen.push("a password");
		if (request.url === "/big") {
			response.end(big);
			return;
		}
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => response.end(`hello ${sha(Buffer.concat(chunks))}`));
	});
	http.on("upgrade", (request, socket) => {
		seen.push(`upgrade ${request.url}`);
		socket.on("error", () => {});
		socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
		socket.pipe(socket);
	});
	const { certificate, key } = certificates();
	const secure = tls.createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (socket) => {
		seen.push("tls");
		socket.on("error", () => {});
		socket.pipe(socket);
	});
	const portOf = async (server: Server | tls.Server) => {
		const { promise, resolve } = Promise.withResolvers<void>();
		server.listen(0, "127.0.0.1", resolve);
		await promise;
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("no port");
		return address.port;
	};
	return {
		http: await portOf(http),
		tls: await portOf(secure),
		seen,
		close() {
			http.closeAllConnections();
			http.close();
			secure.close();
		},
	};
}

let site: Site;

beforeAll(async () => {
	site = await openSite();
});

afterAll(() => {
	site.close();
	removeCertificates();
});

/** The exit, and beside the literal address the name that only the proxy resolves. */
function openExit(proxy: RealProxy, secret?: string, exit: Partial<ExitOptions> = {}): Promise<Rig> {
	const allow = parseAllowList(["127.0.0.1", `localhost:${site.http}`]);
	const options: ExitOptions = { allow, ca: certificates().ca, ...exit };
	return openRig(exitRoute({ kind: "own_proxy", upstream: proxy.upstream(secret) }, options));
}

async function tlsEcho(rig: Rig, text: string): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	using raw = new Peer(net.connect(rig.socketPath));
	await raw.send(`CONNECT 127.0.0.1:${site.tls} HTTP/1.1\r\n\r\n`).until("\r\n\r\n");
	expect(raw.text).toBe(established);
	const secure = tls.connect({ socket: raw.socket, servername: "proxy.test", ca: certificates().ca });
	secure.once("secureConnect", () => secure.write(text));
	secure.once("data", (chunk: Buffer) => resolve(chunk.toString()));
	secure.once("error", reject);
	try {
		return await promise;
	} finally {
		secure.destroy();
	}
}

test.for(absent)("$name is not tested", ({ reason }, { skip }) => skip(reason));

describe.each(installed)("$name", ({ name, ...recipe }) => {
	const { password, takesNames, reportsFailures, wrongPasswordStatus } = recipe;
	let proxy: RealProxy;
	beforeAll(async () => {
		proxy = await startProxy(name);
	});
	afterAll(() => proxy[Symbol.asyncDispose]());

	test.each(takesNames ? ["127.0.0.1", "localhost"] : ["127.0.0.1"])("carries GET to %s", async (host) => {
		await using rig = await openExit(proxy);
		const answer = await rig.ask(`GET http://${host}:${site.http}/get HTTP/1.1\r\n\r\n`);
		expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n/);
		expect(answer).toContain(`hello ${sha(Buffer.alloc(0))}`);
		expect(site.seen).not.toContain("a password");
	});

	test("carries POST of 1 MB, with a length and in chunks", async () => {
		await using rig = await openExit(proxy);
		const body = big.subarray(0, 1_000_000);
		for (const [header, sent] of [
			[`Content-Length: ${body.length}`, body],
			[
				"Transfer-Encoding: chunked",
				Buffer.concat([Buffer.from("f4240\r\n"), body, Buffer.from("\r\n0\r\n\r\n")]),
			],
		] as const) {
			const client = await rig.connect();
			client.send(`POST http://127.0.0.1:${site.http}/post HTTP/1.1\r\n${header}\r\n\r\n`).send(sent);
			expect(await client.ended()).toContain(sha(body));
		}
	});

	test("carries a download of 20 MB exactly, and counts it", async () => {
		await using rig = await openExit(proxy);
		const client = await rig.connect();
		client.send(`GET http://127.0.0.1:${site.http}/big HTTP/1.1\r\n\r\n`);
		await client.ended();
		const start = client.buffer.indexOf("\r\n\r\n") + 4;
		expect(sha(client.buffer.subarray(start))).toBe(sha(big));
		expect(rig.gateway.bytesDown).toBe(client.bytes - "Connection: close\r\n".length);
	});

	test("carries TLS end to end", async () => {
		await using rig = await openExit(proxy);
		expect(await tlsEcho(rig, "in secret")).toBe("in secret");
	});

	test.each(["CONNECT, as Chrome asks", "absolute form"])("carries a WebSocket, by %s", async (way) => {
		await using rig = await openExit(proxy);
		const host = `127.0.0.1:${site.http}`;
		const isTunnel = way.startsWith("CONNECT");
		const client = isTunnel ? await rig.tunnel(host) : await rig.connect();
		const place = isTunnel ? "/ws" : `http://${host}/ws`;
		client.send(
			`GET ${place} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
		);
		await client.until("101 Switching");
		await client.send("a frame").until("a frame");
		await client.send("and another").until("and another");
	});

	test.runIf(reportsFailures)("answers 502 for a target where nothing listens", async () => {
		await using rig = await openExit(proxy);
		const answer = await rig.ask("CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n");
		expect(answer).toContain("HTTP/1.1 502 ");
		expect(answer).toContain("did not open a connection to the target");
	});

	test.runIf(password !== undefined)("answers 502 to a wrong password, and reaches nothing", async () => {
		for (const secret of ["wrong", "", `${password}2`]) {
			await using rig = await openExit(proxy, secret);
			site.seen.length = 0;
			for (const request of [
				`CONNECT 127.0.0.1:${site.tls} HTTP/1.1\r\n\r\n`,
				`GET http://127.0.0.1:${site.http}/get HTTP/1.1\r\n\r\n`,
				`POST http://127.0.0.1:${site.http}/post HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi`,
			]) {
				const answer = await rig.ask(request);
				const isConnect = request.startsWith("CONNECT");
				const status = isConnect ? 502 : wrongPasswordStatus;
				expect(answer).toMatch(new RegExp(`^HTTP/1\\.[01] ${status} `));
				if (status === 502) expect(answer).toContain("The session's own proxy refused the credentials.");
			}
			expect(site.seen).toEqual([]);
		}
	});
});

describe.each(installed.filter(({ protocol }) => protocol === "https"))(
	"the certificate of $name",
	({ name }) => {
		let proxy: RealProxy;
		beforeAll(async () => {
			proxy = await startProxy(name);
		});
		afterAll(() => proxy[Symbol.asyncDispose]());

		test("is known by name when its certificate has the name", async () => {
			const options = { allow: parseAllowList(["127.0.0.1"]), ca: certificates().ca };
			const resolve = () => Promise.resolve(["127.0.0.1"]);
			const upstream = proxy.upstream(undefined, "proxy.test");
			await using rig = await openRig(exitRoute({ kind: "location", upstream }, { ...options, resolve }));
			expect(await tlsEcho(rig, "named")).toBe("named");
		});

		test.each([
			["a CA that nobody trusts", "127.0.0.1", undefined],
			["another name", "other.test", "ca"],
		])("answers 502 to a certificate of %s", async (_, host, trust) => {
			const resolve = () => Promise.resolve(["127.0.0.1"]);
			const options = { allow: parseAllowList(["127.0.0.1"]), resolve };
			const trusted = trust === undefined ? options : { ...options, ca: certificates().ca };
			const exit = { kind: "location", upstream: proxy.upstream(undefined, host) } as const;
			await using rig = await openRig(exitRoute(exit, trusted));
			site.seen.length = 0;
			for (const request of [
				`CONNECT 127.0.0.1:${site.tls} HTTP/1.1\r\n\r\n`,
				`GET http://127.0.0.1:${site.http}/get HTTP/1.1\r\n\r\n`,
			])
				expect(await rig.ask(request)).toContain("The location's proxy has no valid certificate.");
			expect(site.seen).toEqual([]);
		});
	},
);
