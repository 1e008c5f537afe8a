/** Spec 7.7 and 8: how often sessions may be started, and how often requests may come. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ContractDaemon, startContractDaemon, type User } from "../support/contract-daemon.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

async function start(user: User) {
	return (await user.call("POST", "/web/sessions", {})).body;
}

function rateLimited(retryAfterMs: number) {
	return { status: "denied", code: "rate_limited", message: expect.stringMatching(/^T.*\.$/), retryAfterMs };
}

describe("the start rate", () => {
	test("is counted by minute, hour and day; after retryAfterMs the start is allowed, and no earlier", async () => {
		await using daemon = await startContractDaemon({ starts: { perMinute: 2, perHour: 3, perDay: 4 } });
		const user = await daemon.addUser({ plan: "wide" });
		const expectNextAfter = async (waitMs: number) => {
			expect(await start(user)).toEqual(rateLimited(waitMs));
			daemon.clock.advance(waitMs - 1);
			expect(await start(user)).toEqual(rateLimited(1));
			daemon.clock.advance(1);
			expect(await start(user)).toMatchObject({ status: "ok" });
		};
		expect(await start(user)).toMatchObject({ status: "ok" });
		daemon.clock.advance(10 * SECOND_MS);
		expect(await start(user)).toMatchObject({ status: "ok" });
		daemon.clock.advance(10 * SECOND_MS);
		await expectNextAfter(40 * SECOND_MS);
		await expectNextAfter(HOUR_MS - 60 * SECOND_MS);
		await expectNextAfter(DAY_MS - HOUR_MS);
	});

	test("is counted for the account, whichever of its keys is used, and for no other account", async () => {
		await using daemon = await startContractDaemon({ starts: { perMinute: 2, perHour: 9, perDay: 9 } });
		const [user, stranger] = [await daemon.addUser(), await daemon.addUser()];
		const colleague = user.withAnotherKey();
		expect(await start(user)).toMatchObject({ status: "ok" });
		expect(await start(colleague)).toMatchObject({ status: "ok" });
		for (const someone of [user, colleague])
			expect(await start(someone)).toEqual(rateLimited(60 * SECOND_MS));
		expect(await start(stranger)).toMatchObject({ status: "ok" });
	});

	test("counts sessions that have ended, and no start that was refused", async () => {
		await using daemon = await startContractDaemon({ starts: { perMinute: 2, perHour: 9, perDay: 9 } });
		const user = await daemon.addUser();
		for (let round = 0; round < 5; round++) await user.call("POST", "/web/sessions", { name: "" });
		for (let round = 0; round < 2; round++) await user.call("DELETE", `/web/sessions/${await user.start()}`);
		for (let round = 0; round < 5; round++) expect(await start(user)).toEqual(rateLimited(60 * SECOND_MS));
		daemon.clock.advance(60 * SECOND_MS);
		expect(await start(user)).toMatchObject({ status: "ok" });
	});

	test("is not asked when every slot is taken: waiting would not help", async () => {
		await using daemon = await startContractDaemon({ starts: { perMinute: 3, perHour: 9, perDay: 9 } });
		const user = await daemon.addUser();
		for (let round = 0; round < 3; round++) await user.start();
		expect(await start(user)).toMatchObject({ code: "quota_exceeded" });
	});

	test("is not forgotten by a restart of the daemon", async () => {
		const dataDir = mkdtempSync(join(tmpdir(), "barrel-rate-"));
		const starts = { perMinute: 1, perHour: 9, perDay: 9 };
		try {
			const killed = await startContractDaemon({ dataDir, starts });
			const before = await killed.addUser();
			await before.startRunning();
			await killed.kill();
			await using daemon = await startContractDaemon({ dataDir, starts, clock: killed.clock });
			expect(await start(daemon.userAgain(before))).toEqual(rateLimited(60 * SECOND_MS));
		} finally {
			rmSync(dataDir, { recursive: true, force: true });
		}
	});

	test("holds for the other endpoints not at all", async () => {
		await using daemon = await startContractDaemon({ starts: { perMinute: 1, perHour: 1, perDay: 1 } });
		const user = await daemon.addUser();
		const id = await user.start();
		for (const path of ["/web/sessions", `/web/sessions/${id}`, "/web/usage", "/user/quota"])
			expect((await user.call("GET", path)).body["status"]).toBe("ok");
		expect((await user.call("DELETE", `/web/sessions/${id}`)).body["status"]).toBe("ok");
	});
});

describe("the request rate", () => {
	const requests = { requestsPerSecond: 2, burst: 10 };
	const tooMany = { status: "denied", message: "Too many requests come from this address; slow down." };

	/** How many requests in a row are answered as usual, up to 50. */
	async function answered(daemon: ContractDaemon, headers: Record<string, string> = {}): Promise<number> {
		for (let count = 0; count < 50; count++) {
			const answer = await daemon.request("/image", { headers });
			if (answer.body["status"] === "ok") continue;
			expect(answer).toMatchObject({ http: 200, body: tooMany });
			return count;
		}
		return 50;
	}

	const from = (address: string) => ({ "x-forwarded-for": address });

	test("is 2 a second for an address, and a burst above that; beyond it the answer is denied", async () => {
		await using daemon = await startContractDaemon({ requests });
		expect(await answered(daemon)).toBe(10);
		expect(await answered(daemon)).toBe(0);
		for (let second = 0; second < 5; second++) {
			daemon.clock.advance(SECOND_MS);
			expect(await answered(daemon)).toBe(2);
		}
		daemon.clock.advance(499);
		expect(await answered(daemon)).toBe(0);
		daemon.clock.advance(1);
		expect(await answered(daemon)).toBe(1);
		daemon.clock.advance(DAY_MS);
		expect(await answered(daemon)).toBe(10);
	});

	test("holds for all endpoints, known or not, with a key or without, and what is denied does nothing", async () => {
		await using daemon = await startContractDaemon({ requests });
		const user = await daemon.addUser();
		const id = await user.start();
		await answered(daemon);
		const calls = [
			["POST", "/web/sessions"],
			["GET", "/web/sessions"],
			["GET", `/web/sessions/${id}`],
			["DELETE", `/web/sessions/${id}`],
			["GET", "/web/usage"],
			["GET", "/user/quota"],
			["GET", "/image"],
			["GET", "/nothing"],
		] as const;
		for (const [method, path] of calls) {
			expect((await user.call(method, path)).body).toEqual(tooMany);
			expect((await daemon.request(path, { method })).body).toEqual(tooMany);
		}
		daemon.clock.advance(10 * SECOND_MS);
		expect((await user.call("GET", "/web/sessions?status=all")).body).toMatchObject({
			data: [{ id, endedAt: null }],
		});
	});

	test("is denied in the caller's language", async () => {
		await using daemon = await startContractDaemon({ requests });
		await answered(daemon);
		const { body, headers } = await daemon.request("/image", { headers: { "accept-language": "de" } });
		expect(headers["content-language"]).toBe("de");
		expect(body).toEqual({ status: "denied", message: expect.stringContaining("Anfragen") });
	});

	test("is counted for each client behind a trusted proxy, by what that proxy says", async () => {
		await using daemon = await startContractDaemon({ requests, trustedProxies: ["127.0.0.1"] });
		expect(await answered(daemon, from("198.51.100.1"))).toBe(10);
		expect(await answered(daemon, from("198.51.100.2"))).toBe(10);
		expect(await answered(daemon, from("198.51.100.1"))).toBe(0);
		expect(await answered(daemon, { forwarded: "for=198.51.100.2" })).toBe(0);
		expect(await answered(daemon, { forwarded: "for=198.51.100.3" })).toBe(10);
	});

	test("believes of X-Forwarded-For only what the trusted proxy added itself", async () => {
		await using daemon = await startContractDaemon({ requests, trustedProxies: ["127.0.0.1"] });
		expect(await answered(daemon, from("198.51.100.1"))).toBe(10);
		for (const invented of ["203.0.113.7", "127.0.0.1", "unknown", "x"])
			expect(await answered(daemon, from(`${invented}, 198.51.100.1`))).toBe(0);
	});

	test("believes no header of an untrusted client", async () => {
		await using daemon = await startContractDaemon({ requests, trustedProxies: ["192.0.2.1"] });
		expect(await answered(daemon)).toBe(10);
		for (const name of ["x-forwarded-for", "x-real-ip", "cf-connecting-ip", "true-client-ip", "x-client-ip"])
			expect(await answered(daemon, { [name]: "198.51.100.1" })).toBe(0);
		expect(await answered(daemon, { forwarded: "for=198.51.100.1" })).toBe(0);
	});

	test("counts the addresses of an IPv6 /64 as one, and IPv4-mapped ones as IPv4", async () => {
		await using daemon = await startContractDaemon({ requests, trustedProxies: ["127.0.0.1"] });
		expect(await answered(daemon, from("2001:db8:0:1::1"))).toBe(10);
		expect(await answered(daemon, from("2001:db8:0:1:ffff:ffff:ffff:ffff"))).toBe(0);
		expect(await answered(daemon, from("[2001:db8:0:1::2]:4711"))).toBe(0);
		expect(await answered(daemon, from("2001:db8:0:2::1"))).toBe(10);
		expect(await answered(daemon, from("198.51.100.1"))).toBe(10);
		expect(await answered(daemon, from("::ffff:198.51.100.1"))).toBe(0);
	});
});
