import { describe, expect, test } from "vitest";
import { isSessionId } from "../../../src/base/ids.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ada, bob, HOUR_MS, ManagerFixture } from "./manager.ts";
import { aPlan, refusalFrom } from "./starter-fixture.ts";

describe("a start", () => {
	test("answers at once with a session that is starting", async () => {
		await using fixture = new ManagerFixture();
		const { session, quota } = await fixture.manager.start(ada, {
			name: "mine",
			url: "https://example.org/",
			image: "edge",
		});
		const now = fixture.clock.now();
		expect(isSessionId(session.id)).toBe(true);
		expect(session).toEqual({
			id: session.id,
			accountId: 1,
			subscriptionId: 1,
			appKeyId: null,
			startedByKind: "agent",
			name: "mine",
			imageId: "edge",
			url: "https://example.org/",
			country: null,
			exitKind: "direct",
			screen: { width: 1366, height: 768 },
			state: { status: "starting" },
			createdAt: now,
			readyAt: null,
			lastSeenAt: now,
			expiresAt: now + 18 * HOUR_MS,
			stopRequestedAt: null,
		});
		expect(fixture.session(session.id)).toEqual(session);
		expect(quota).toEqual({ limit: 3, used: 1, remaining: 2 });
	});

	test("generates a name when none is given", async () => {
		await using fixture = new ManagerFixture();
		expect(fixture.session(await fixture.start()).name).toMatch(/^[a-z]+(?:-[a-z']+)+-\d{2,3}$/);
	});

	test("has written the row before the browser is opened", async () => {
		await using fixture = new ManagerFixture();
		const seen: string[] = [];
		fixture.host.onOpen = (id) => seen.push(fixture.stateOf(id));
		await fixture.start();
		await waitFor(() => seen.length > 0, "the browser is opened");
		expect(seen).toEqual(["starting"]);
	});

	test("asks the host for the image, the screen and the url", async () => {
		await using fixture = new ManagerFixture();
		const screen = { width: 800, height: 600 };
		const browser = await fixture.host.browserOf(
			await fixture.start(ada, { image: "edge", screen, url: "http://a.example" }),
		);
		const image = { id: "edge", executable: fixture.starts.executable, flags: ["--lang=de"] };
		const request = { image: expect.objectContaining(image), screen, url: "http://a.example" };
		expect(browser.request).toEqual(request);
		expect([...fixture.egress]).toEqual([browser.egressSocketPath]);
	});

	test("leads to a running session when the browser is ready", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.start();
		fixture.clock.advance(250);
		const browser = await fixture.host.browserOf(id);
		browser.becomeReady();
		await fixture.until(id, "running");
		expect(fixture.session(id).readyAt).toBe(fixture.clock.now());
		expect(browser.isEnding).toBe(false);
	});

	test("that is refused for a field leaves no row and opens no browser", async () => {
		await using fixture = new ManagerFixture();
		expect(await fixture.refusalOfStart(ada, { name: "" })).toBe("name-invalid");
		expect(fixture.store.live()).toEqual([]);
		expect(fixture.host.opened()).toEqual([]);
	});
});

describe("slots", () => {
	test("refuses a fourth session while three are live", async () => {
		await using fixture = new ManagerFixture();
		await fixture.start();
		await fixture.startRunning();
		await fixture.start();
		expect(await refusalFrom(fixture.manager.start(ada, {}))).toMatchObject({
			code: "quota_exceeded",
			status: "denied",
		});
		expect(fixture.store.live()).toHaveLength(3);
		expect(fixture.host.opened()).toHaveLength(3);
	});

	test("has room again as soon as one is stopped, before its browser is gone", async () => {
		await using fixture = new ManagerFixture();
		const removal = Promise.withResolvers<void>();
		const first = await fixture.startRunning();
		await fixture.start();
		await fixture.start();
		fixture.host.removal = () => removal.promise;
		fixture.manager.stop(ada.accountId, first);
		expect(fixture.stateOf(first)).toBe("stopped");
		const { quota } = await fixture.manager.start(ada, {});
		expect(quota).toEqual({ limit: 3, used: 3, remaining: 0 });
		expect(fixture.host.get(first).isGone).toBe(false);
		expect(await fixture.refusalOfStart()).toBe("slots-full");
		removal.resolve();
		await fixture.manager.settled();
		expect(fixture.host.get(first).isGone).toBe(true);
	});

	test("gives the last one to one of many starts at the same time", async () => {
		await using fixture = new ManagerFixture();
		await fixture.start();
		await fixture.start();
		const starts = Array.from({ length: 8 }, () => fixture.manager.start(ada, {}));
		const results = await Promise.allSettled(starts);
		expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
		expect(fixture.store.live()).toHaveLength(3);
	});

	test("are counted per account", async () => {
		await using fixture = new ManagerFixture();
		for (let round = 0; round < 3; round++) await fixture.start(ada);
		const { quota } = await fixture.manager.start(bob, {});
		expect(quota).toEqual({ limit: 3, used: 1, remaining: 2 });
	});

	test("counts sessions that were started by hand", async () => {
		await using fixture = new ManagerFixture();
		for (let round = 0; round < 3; round++) await fixture.start({ ...ada, startedByKind: "app" });
		expect(await fixture.refusalOfStart(ada)).toBe("slots-full");
	});

	test("come from the first subscription that has one", async () => {
		const none = aPlan("none", { runningSessionLimit: 0 });
		const one = aPlan("one", { runningSessionLimit: 1 });
		await using fixture = new ManagerFixture({ plans: [none, one] });
		const subscriptionId = fixture.starts.subscribe(one);
		expect(fixture.session(await fixture.start()).subscriptionId).toBe(subscriptionId);
		expect(await fixture.refusalOfStart()).toBe("slots-full");
	});

	test("are none for an account without a subscription", async () => {
		await using fixture = new ManagerFixture();
		fixture.starts.unsubscribe();
		expect(await fixture.refusalOfStart()).toBe("no-plan");
	});
});

describe("a browser that does not start", () => {
	test("ends the session as error and frees the slot", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.start();
		const browser = await fixture.host.browserOf(id);
		browser.failToStart("exit code 127");
		await fixture.until(id, "error");
		expect(fixture.detailOf(id)).toBe("exit code 127");
		await fixture.manager.settled();
		expect(browser.isGone).toBe(true);
		expect(fixture.store.live()).toEqual([]);
	});

	test("ends the session as error when it is not ready in time", async () => {
		await using fixture = new ManagerFixture();
		fixture.limits.startTimeoutMs = 30;
		const id = await fixture.start();
		await fixture.until(id, "error");
		expect(fixture.detailOf(id)).toBe("the browser was not ready within 30 ms");
		await fixture.manager.settled();
		expect(fixture.host.get(id).isGone).toBe(true);
	});

	test("ends the session as error when its folder cannot be made, and frees the slot", async () => {
		await using fixture = new ManagerFixture();
		fixture.host.onOpen = () => {
			throw new Error("ENOSPC: no space left on device");
		};
		const ids = [await fixture.start(), await fixture.start(), await fixture.start()];
		for (const id of ids) await fixture.until(id, "error");
		expect(ids.map((id) => fixture.detailOf(id))).toEqual(Array(3).fill("ENOSPC: no space left on device"));
		fixture.host.onOpen = () => {};
		await fixture.startRunning();
		expect(fixture.store.live()).toHaveLength(1);
	});

	test("is removed when the session is stopped while it starts", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.start();
		const browser = await fixture.host.browserOf(id);
		fixture.manager.stop(ada.accountId, id);
		await fixture.manager.settled();
		expect(browser.isGone).toBe(true);
		expect(fixture.stateOf(id)).toBe("stopped");
	});

	test("is removed when the session is stopped before it was opened", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.start();
		fixture.manager.stop(ada.accountId, id);
		await fixture.manager.settled();
		expect(fixture.host.remaining()).toEqual([]);
		expect(fixture.stateOf(id)).toBe("stopped");
	});
});
