/** What is tried against the daemon's own address: sessions of others, and requests that are none. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartedSession } from "../support/api.ts";
import { type CdpConnection, connectCdp } from "../support/cdp.ts";
import { openDescriptors, runAsChoices, startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { openRaw, rawAnswer, tokenOf, upgrade, upgradeOf } from "../support/raw-socket.ts";
import { waitFor } from "../support/wait-for.ts";

describe.each(runAsChoices)("with the daemon run as %s", (as) => {
	let daemon: TestDaemon;
	let session: StartedSession;
	let cdp: CdpConnection;
	let page: string;

	beforeAll(async () => {
		daemon = await startTestDaemon({ as });
		session = await daemon.api.startRunning();
		cdp = await connectCdp(session.connectUrl);
		page = await cdp.newPage();
	});
	afterAll(async () => {
		await daemon?.[Symbol.asyncDispose]();
	});

	const port = (): number => Number(new URL(daemon.url).port);
	const expectAlive = async (): Promise<void> => {
		expect(await (await fetch(`${daemon.url}/healthz`)).json()).toMatchObject({ status: "ok" });
		expect(await cdp.evaluate("6 * 7", page)).toBe(42);
		const further = await connectCdp(session.connectUrl);
		expect(await further.send("Browser.getVersion")).toHaveProperty("product");
		await further.close();
	};

	describe("the socket of a session", () => {
		test("says the same to every client that may not have it", async () => {
			const other = await daemon.api.startRunning();
			const token = tokenOf(session);
			expect(await rawAnswer(port(), upgradeOf(session.id, token), { until: "\r\n\r\n" })).toMatch(
				/^HTTP\/1\.1 101 /,
			);
			const before = openDescriptors(daemon.pid);
			const attempts = {
				"a wrong token": upgradeOf(session.id, "x".repeat(token.length)),
				"the token of another session": upgradeOf(session.id, tokenOf(other)),
				"this token for another session": upgradeOf(other.id, token),
				"no token": upgradeOf(session.id, ""),
				"no query": upgrade(`/web/${session.id}/cdp`),
				"a token that is too long": upgradeOf(session.id, token.repeat(50)),
				"a token cut short": upgradeOf(session.id, token.slice(0, -1)),
				"a token after a wrong one": upgrade(`/web/${session.id}/cdp?token=x&token=${token}`),
				"the app key": upgradeOf(session.id, daemon.key),
				"an unknown session": upgradeOf("brl-v-v7-00000000000000000000", token),
				"an id of no form": upgradeOf("x", token),
				"an id with a quote": upgradeOf("'%20OR%20'1'='1", token),
			};
			const answers = await Promise.all(Object.values(attempts).map((request) => rawAnswer(port(), request)));
			expect(answers[0]).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[\s\S]*"status":"denied"/);
			for (const [index, name] of Object.keys(attempts).entries())
				expect({ name, answer: answers[index] }).toEqual({ name, answer: answers[0] });
			await daemon.api.stop(other.id);
			const ended = upgradeOf(other.id, token);
			expect(await rawAnswer(port(), ended)).toBe(answers[0]);
			await waitFor(() => openDescriptors(daemon.pid) <= before, "no descriptor is left open");
		});

		test("passes no request on to Chrome but the upgrade", async () => {
			const at = `/web/${session.id}/cdp?token=${tokenOf(session)}`;
			for (const path of [
				"/json/version",
				"/json/list",
				"/json/new",
				"/devtools/browser/x",
				`/web/${session.id}/cdp/../json/version?token=${tokenOf(session)}`,
				`/web/${session.id}/json/version?token=${tokenOf(session)}`,
			])
				expect(await rawAnswer(port(), upgrade(path))).toMatch(/^HTTP\/1\.1 404 /);
			expect(await rawAnswer(port(), `GET ${at} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
				/^HTTP\/1\.1 40[04] /,
			);
			expect(await rawAnswer(port(), upgrade(at).replace("GET", "POST"))).toMatch(/^HTTP\/1\.1 400 /);
			expect(await rawAnswer(port(), upgrade(at).replace("websocket", "h2c"))).toMatch(/^HTTP\/1\.1 40[04] /);
		});
	});

	describe("the daemon lives on after", () => {
		const good = () => `/web/${session.id}/cdp?token=${tokenOf(session)}`;
		const junk: Record<string, () => string | Buffer> = {
			"binary junk": () => randomBytes(70_000),
			"a TLS greeting": () => Buffer.from("16030100f1010000ed0303", "hex"),
			"the HTTP/2 preface": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			"huge headers": () => `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(2_000_000)}\r\n\r\n`,
			"a thousand headers": () =>
				`GET / HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 5_000 }, (_, index) => `X${index}: y\r\n`).join("")}\r\n`,
			"a huge address": () => upgrade(`/${"a".repeat(500_000)}`),
			"an address that is no URL": () => upgrade("//[::"),
			"an address in absolute form": () => upgrade("http://127.0.0.1/web/x/cdp"),
			"a path of broken percent signs": () => upgrade("/web/%ff%zz/cdp?token=%"),
			"an upgrade to an unknown path": () => upgrade("/nowhere"),
			"an upgrade to the API": () => upgrade("/v8/web/sessions"),
			"an upgrade with no key": () => upgrade(good()).replace(/Sec-WebSocket-Key.*\r\n/, ""),
			"an upgrade of a wrong version": () => upgrade(good()).replace("Version: 13", "Version: 99"),
			"an upgrade with junk behind it": () =>
				Buffer.concat([Buffer.from(upgrade(good())), randomBytes(100_000)]),
			"two upgrades at once": () => upgrade(good()) + upgrade(good()),
			"an upgrade with a body": () =>
				upgrade(good()).replace("\r\n\r\n", "\r\nContent-Length: 5\r\n\r\nhello"),
			"an upgrade with a chunked body": () =>
				upgrade(good()).replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
			"an extension that nobody knows": () =>
				upgrade(good()).replace("\r\n\r\n", "\r\nSec-WebSocket-Extensions: \x01;;;,,=\r\n\r\n"),
			"two lengths": () =>
				"POST /v8/web/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
			"a negative length": () => "POST /v8/web/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
			"a NUL in the address": () => "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
			"a Host that is none": () => "GET /healthz HTTP/1.1\r\nHost: [::\r\n\r\n",
			"no Host": () => "GET /v8/image HTTP/1.1\r\n\r\n",
			"the method CONNECT": () => "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n",
			"a request for a proxy": () => "GET http://127.0.0.1:22/ HTTP/1.1\r\nHost: x\r\n\r\n",
			"half a request": () => "GET /web/x/cdp HTTP/1.1\r\nUpg",
		};

		test.each(Object.keys(junk))("%s", async (name) => {
			const bytes = junk[name]?.() ?? "";
			const whole = await openRaw(port(), bytes);
			await whole.settled;
			whole.socket.destroy();
			const cut = await openRaw(port(), bytes.slice(0, Math.ceil(bytes.length / 2)));
			cut.socket.resetAndDestroy();
			await expectAlive();
		});

		test("WebSocket frames that Chrome does not like", async () => {
			const frames = [
				randomBytes(5_000),
				Buffer.from("81ffffffffffffffffff00000000", "hex"),
				Buffer.from("0100", "hex"),
				Buffer.from("8800", "hex"),
				Buffer.from("f180000000", "hex"),
			];
			for (const frame of frames) {
				const connection = await openRaw(port(), upgrade(good()));
				await connection.settled;
				connection.socket.write(frame);
				connection.socket.end();
				await connection.closed;
			}
			await expectAlive();
		});

		test("200 connections that are opened and dropped in every stage", async () => {
			const before = openDescriptors(daemon.pid);
			const stages = ["", "GET", upgrade("/nowhere"), upgrade(good())];
			const all = await Promise.all(
				Array.from({ length: 200 }, (_, index) => openRaw(port(), stages[index % stages.length] ?? "")),
			);
			for (const [index, { socket }] of all.entries()) {
				if (index % 3 === 0) socket.resetAndDestroy();
				else if (index % 3 === 1) socket.destroy();
				else socket.end();
			}
			await Promise.all(all.filter((_, index) => index % 3 !== 2).map(({ closed }) => closed));
			await expectAlive();
			for (const { socket } of all) socket.destroy();
			await waitFor(() => openDescriptors(daemon.pid) <= before + 5, "the descriptors are closed again");
		});

		test("all that with nothing worse than warnings in its log", () => {
			expect(
				daemon
					.log()
					.split("\n")
					.filter((line) => /"level":"(error|fatal)"/.test(line)),
			).toEqual([]);
			expect(daemon.log()).not.toMatch(/uncaught|unhandled/i);
		});
	});
});
