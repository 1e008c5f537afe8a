import { expect, test } from "vitest";
import { ada, ManagerFixture } from "./manager.ts";

const waiting = "brl-v-v7-00000000000000000001";

test("a start takes the waiting browser, under the id that it waits with", async () => {
	await using fixture = new ManagerFixture();
	fixture.host.spares.push(waiting);
	expect(await fixture.start()).toBe(waiting);
	expect(await fixture.start()).not.toBe(waiting);
	expect(fixture.host.spares).toEqual([]);
});

test.each([
	["whose exit does not exist", { country: "zz" }],
	["whose proxy is private", { proxy: "http://10.0.0.1:8080" }],
])("a start %s gives the waiting browser back", async (_why, body) => {
	await using fixture = new ManagerFixture();
	fixture.host.spares.push(waiting);
	await expect(fixture.start(ada, body)).rejects.toMatchObject({ code: "invalid_arguments" });
	expect(fixture.host.spares).toEqual([waiting]);
	expect(fixture.store.find(waiting)).toBeUndefined();
});

test("a start that finds no slot gives the waiting browser back", async () => {
	await using fixture = new ManagerFixture();
	for (let session = 0; session < 3; session++) await fixture.start();
	fixture.host.spares.push(waiting);
	await expect(fixture.start()).rejects.toMatchObject({ code: "quota_exceeded" });
	expect(fixture.host.spares).toEqual([waiting]);
});

test("a repeated start takes no further browser", async () => {
	await using fixture = new ManagerFixture();
	const caller = fixture.starts.withKey();
	const first = await fixture.start(caller, { idempotencyKey: "once" });
	fixture.host.spares.push(waiting);
	expect(await fixture.start(caller, { idempotencyKey: "once" })).toBe(first);
	expect(fixture.host.spares).toEqual([waiting]);
});
