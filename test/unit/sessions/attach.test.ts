import { expect, test } from "vitest";
import { SessionEnded } from "../../../src/sessions/session-manager.ts";
import { ada, ManagerFixture } from "./manager.ts";

const unknownId = "brl-v-v7-00000000000000000000";

test("joins a client to a running browser", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.startRunning();
	using attachment = fixture.attach(id);
	expect(await attachment.cdp).toEqual(fixture.host.cdp);
	expect(attachment.lease.sessionId).toBe(id);
	expect(attachment.signal.aborted).toBe(false);
});

test("lets a client wait for a browser that is still starting", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.start();
	using attachment = fixture.attach(id);
	const browser = await fixture.host.browserOf(id);
	browser.becomeReady();
	expect(await attachment.cdp).toEqual(fixture.host.cdp);
});

test("tells a waiting client when the browser fails", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.start();
	using attachment = fixture.attach(id);
	const browser = await fixture.host.browserOf(id);
	browser.failToStart("no");
	await expect(attachment.cdp).rejects.toBeInstanceOf(SessionEnded);
	await expect(attachment.cdp).rejects.toMatchObject({ reason: "error" });
});

test("tells attached clients why the session has ended", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.startRunning();
	using attachment = fixture.attach(id);
	fixture.manager.stop(ada.accountId, id);
	expect(attachment.signal.reason).toBeInstanceOf(SessionEnded);
	expect(attachment.signal.reason).toMatchObject({ reason: "stopped" });
});

test("knows no session by an unknown id, a foreign token, or none", async () => {
	await using fixture = new ManagerFixture();
	const [id, other] = [await fixture.startRunning(), await fixture.startRunning()];
	const unknown = { kind: "unknown" };
	expect(fixture.manager.attach(unknownId, fixture.tokens.of(unknownId))).toEqual(unknown);
	expect(fixture.manager.attach(unknownId, "x")).toEqual(unknown);
	expect(fixture.manager.attach("", "")).toEqual(unknown);
	expect(fixture.manager.attach(id, fixture.tokens.of(other))).toEqual(unknown);
	expect(fixture.manager.attach(id, "")).toEqual(unknown);
});

test("says of an ended session why it ended, to its own token only", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.startRunning();
	fixture.manager.stop(ada.accountId, id);
	expect(fixture.manager.attach(id, fixture.tokens.of(id))).toEqual({ kind: "ended", reason: "stopped" });
	expect(fixture.manager.attach(id, "another")).toEqual({ kind: "unknown" });
});

test("a refused client keeps no session alive", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.startRunning();
	const before = fixture.session(id).lastSeenAt;
	fixture.clock.advance(1_000);
	fixture.manager.attach(id, "wrong");
	expect(fixture.session(id).lastSeenAt).toBe(before);
});

test("a client that leaves after the session's end changes nothing", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.startRunning();
	const attachment = fixture.attach(id);
	fixture.manager.stop(ada.accountId, id);
	const before = fixture.session(id);
	fixture.clock.advance(1_000);
	attachment[Symbol.dispose]();
	expect(fixture.session(id)).toEqual(before);
});

test("sessions started by hand can be attached to", async () => {
	await using fixture = new ManagerFixture();
	const id = await fixture.startRunning({ ...ada, startedByKind: "app" });
	using attachment = fixture.attach(id);
	expect(await attachment.cdp).toEqual(fixture.host.cdp);
});
