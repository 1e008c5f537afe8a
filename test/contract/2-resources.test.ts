/** Spec 2: what a session and the catalog look like, field by field. */
import { describe, expect, test } from "vitest";
import {
	type ContractDaemon,
	objectIn,
	objectsIn,
	startContractDaemon,
	type User,
} from "../support/contract-daemon.ts";
import { residentialOf } from "../support/contract-offer.ts";

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function connectUrlForm(daemon: ContractDaemon, id: unknown): RegExp {
	return new RegExp(`^ws://127\\.0\\.0\\.1:${daemon.port}/web/${String(id)}/cdp\\?token=[\\w-]{43}$`);
}

async function read(user: User, id: string): Promise<Record<string, unknown>> {
	return objectIn((await user.call("GET", `/web/sessions/${id}`)).body, "data");
}

describe("2.1 the answer to a start", () => {
	test("has every field in its form, and no other", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const { body } = await user.call("POST", "/web/sessions", {});
		expect(Object.keys(body).sort()).toEqual(
			["status", "id", "name", "image", "connectUrl", "liveViewUrl", "createdAt", "screen", "quota"].sort(),
		);
		expect(body).toMatchObject({
			status: "ok",
			id: expect.stringMatching(/^brl-v-v7-[0-9a-z]{20}$/),
			name: expect.stringMatching(/^[a-z]+(?:-[a-z']+)+-\d+$/),
			image: "chrome",
			connectUrl: expect.stringMatching(connectUrlForm(daemon, body["id"])),
			liveViewUrl: `${daemon.url}/en/viewer?id=${String(body["id"])}`,
			createdAt: "2026-03-01T12:00:00.000Z",
			screen: { width: 1366, height: 768 },
			quota: { running_session_limit: 3, running_sessions_used: 1, running_sessions_remaining: 2 },
		});
	});

	test("has what the request asked for", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const asked = { name: "Übung 🦦", image: "second", screen: { width: 320, height: 1080 } };
		expect(
			(await user.call("POST", "/web/sessions", { ...asked, url: "https://example.org/" })).body,
		).toMatchObject(asked);
	});

	test("counts this session among the concurrent ones, and those started by hand", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		await user.startByHand();
		const quota = async () => (await user.call("POST", "/web/sessions", {})).body["quota"];
		expect(await quota()).toMatchObject({ running_sessions_used: 2, running_sessions_remaining: 1 });
		expect(await quota()).toEqual({
			running_session_limit: 3,
			running_sessions_used: 3,
			running_sessions_remaining: 0,
		});
	});

	test("has wss addresses below the path at which clients reach the service", async () => {
		await using daemon = await startContractDaemon({ publicUrl: "https://browsers.example.org/barrel" });
		const user = await daemon.addUser();
		const { id, connectUrl, liveViewUrl } = (await user.call("POST", "/web/sessions", {})).body;
		expect(connectUrl).toMatch(
			/^wss:\/\/browsers\.example\.org\/barrel\/web\/brl-v-v7-\w{20}\/cdp\?token=[\w-]{43}$/,
		);
		expect(liveViewUrl).toBe(`https://browsers.example.org/barrel/en/viewer?id=${String(id)}`);
		expect(await read(user, String(id))).toMatchObject({ connectUrl, liveViewUrl });
	});

	test("has a generated name of its own each time", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser({ plan: "wide" });
		const names = [];
		for (let round = 0; round < 20; round++)
			names.push((await user.call("POST", "/web/sessions", {})).body["name"]);
		expect(new Set(names).size).toBeGreaterThan(18);
	});

	test("has a token of the session's own", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const tokens = [];
		for (let round = 0; round < 3; round++) {
			const { body } = await user.call("POST", "/web/sessions", {});
			tokens.push(new URL(String(body["connectUrl"])).searchParams.get("token"));
		}
		expect(new Set(tokens).size).toBe(3);
	});
});

describe("2.2 a session as it is read and listed", () => {
	test("has every field in its form while it starts", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const started = (await user.call("POST", "/web/sessions", { url: "https://example.org/a?b" })).body;
		const session = await read(user, String(started["id"]));
		expect(session).toEqual({
			id: started["id"],
			name: started["name"],
			image: "chrome",
			status: "starting",
			createdAt: "2026-03-01T12:00:00.000Z",
			endedAt: null,
			endedReason: null,
			expiresAt: "2026-03-02T06:00:00.000Z",
			lastseen: "2026-03-01T12:00:00.000Z",
			url: "https://example.org/a?b",
			country: null,
			screen: { width: 1366, height: 768 },
			connectUrl: started["connectUrl"],
			liveViewUrl: started["liveViewUrl"],
			startedByKind: "agent",
			analysisEnabled: false,
			startedBy: { id: user.account.id, email: "user1@example.org", firstname: "First1", lastname: "Last1" },
		});
		expect(session["connectUrl"]).toMatch(connectUrlForm(daemon, session["id"]));
		expect(Number.isInteger(objectIn(session, "startedBy")["id"])).toBe(true);
	});

	test("is running with the same addresses once its browser is ready", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const id = await user.start();
		const starting = await read(user, id);
		await user.startRunning();
		const browser = await daemon.host.browserOf(id);
		browser.becomeReady();
		await expect.poll(async () => (await read(user, id))["status"]).toBe("running");
		expect(await read(user, id)).toEqual({ ...starting, status: "running" });
	});

	test("has its end, its reason and no connectUrl once it has ended", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const id = await user.startRunning();
		const running = await read(user, id);
		daemon.clock.advance(1_234);
		await user.call("DELETE", `/web/sessions/${id}`);
		expect(await read(user, id)).toEqual({
			...running,
			status: "ended",
			endedAt: "2026-03-01T12:00:01.234Z",
			endedReason: "stopped",
			connectUrl: null,
		});
	});

	test("has a null url when none was asked for", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		expect((await read(user, await user.start()))["url"]).toBeNull();
	});

	test.each([
		[{ country: "de" }, "de"],
		[{ country: "de-ber" }, "de-ber"],
		[{ egress: "residential", country: "us" }, "us"],
		[{ egress: "residential" }, null],
		[{ proxy: "http://proxy.example:3128" }, null],
	])("started with %j has the country %s", async (body, country) => {
		await using daemon = await startContractDaemon({ residential: residentialOf(null) });
		const user = await daemon.addUser({ plan: "full" });
		expect((await read(user, await user.start(body)))["country"]).toBe(country);
	});

	test("is startedByKind app when it was started by hand", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		expect((await read(user, await user.startByHand()))["startedByKind"]).toBe("app");
	});

	test("is the same in the list", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const id = await user.startRunning();
		expect(objectsIn((await user.call("GET", "/web/sessions")).body, "data")).toEqual([await read(user, id)]);
	});

	test("has lastseen from its last connected client", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		const id = await user.startRunning();
		daemon.clock.advance(60_000);
		const token = new URL(String((await read(user, id))["connectUrl"])).searchParams.get("token") ?? "";
		const result = daemon.sessions.attach(id, token);
		if (result.kind !== "attached") throw new Error(result.kind);
		daemon.clock.advance(60_000);
		daemon.tick();
		expect((await read(user, id))["lastseen"]).toBe("2026-03-01T12:02:00.000Z");
		daemon.clock.advance(500);
		result.attachment[Symbol.dispose]();
		expect((await read(user, id))["lastseen"]).toBe("2026-03-01T12:02:00.500Z");
	});

	test("has timestamps with milliseconds in UTC", async () => {
		await using daemon = await startContractDaemon();
		const user = await daemon.addUser();
		daemon.clock.advance(7);
		const id = await user.start();
		await user.call("DELETE", `/web/sessions/${id}`);
		const session = await read(user, id);
		for (const field of ["createdAt", "endedAt", "expiresAt", "lastseen"])
			expect(session[field]).toMatch(timestamp);
		expect(session["createdAt"]).toBe("2026-03-01T12:00:00.007Z");
	});
});

describe("2.5 the catalog", () => {
	test("has every image, location and the residential countries", async () => {
		await using daemon = await startContractDaemon({
			residential: residentialOf(["de", "us"]),
		});
		const { body } = await daemon.request("/image");
		expect(Object.keys(body).sort()).toEqual(["images", "residential", "status", "vpnLocations"]);
		const image = {
			picture: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
			requires_feature_restricted_images: false,
			supports_analysis: false,
			supports_programmatic: true,
		};
		expect(body["images"]).toEqual([
			{ ...image, id: "chrome", name: "Chrome", enabled: true },
			{
				...image,
				id: "second",
				name: "Second",
				picture: "https://pictures.example/second.png",
				enabled: true,
				supports_analysis: true,
			},
			{ ...image, id: "off", name: "Off", enabled: false },
			{ ...image, id: "missing", name: "Missing", enabled: false },
			{
				...image,
				id: "by-hand",
				name: "By hand",
				enabled: true,
				requires_feature_restricted_images: true,
				supports_programmatic: false,
			},
			{
				...image,
				id: "restricted",
				name: "Restricted",
				enabled: true,
				requires_feature_restricted_images: true,
			},
		]);
		expect(body["vpnLocations"]).toEqual([
			{
				code: "de",
				name: "Germany",
				default: "de-fra",
				cities: [
					{ code: "de-ber", location: "Berlin" },
					{ code: "de-fra", location: "Frankfurt" },
				],
			},
			{
				code: "us",
				name: "United States",
				default: "us-nyc",
				cities: [{ code: "us-nyc", location: "New York" }],
			},
		]);
		expect(body["residential"]).toEqual({ configured: true, countries: ["de", "us"] });
	});

	test("says null for residential countries when every country can be reached", async () => {
		await using daemon = await startContractDaemon({ residential: residentialOf(null) });
		expect((await daemon.request("/image")).body["residential"]).toEqual({
			configured: true,
			countries: null,
		});
	});

	test("says that nothing residential is configured", async () => {
		await using daemon = await startContractDaemon();
		expect((await daemon.request("/image")).body["residential"]).toEqual({
			configured: false,
			countries: [],
		});
	});

	test("tells nothing of executables, flags or proxies", async () => {
		await using daemon = await startContractDaemon({ residential: residentialOf(null) });
		const { text } = await daemon.request("/image");
		expect(text).not.toMatch(/\/bin\/sh|nowhere|executable|flag|proxy|operator/);
	});
});
