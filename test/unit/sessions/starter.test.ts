import { describe, expect, test } from "vitest";
import { integer } from "../../../src/store/columns.ts";
import { ManagerFixture } from "./manager.ts";
import { ada, aPlan, bob, refusalFrom, StarterFixture, team } from "./starter-fixture.ts";

const byHand = { ...ada, startedByKind: "app" } as const;
const basic = aPlan("basic", { features: ["programmatic_access"] });
const upgrade = { status: "upgrade", code: "quota_exceeded" };
const denied = { status: "denied", code: "quota_exceeded" };
const invalid = { status: "denied", code: "invalid_arguments" };

describe("the way out", () => {
	test.each([
		{ name: "of this machine", body: {}, row: { exitKind: "direct", country: null }, via: undefined },
		{
			name: "of a country",
			body: { country: "de" },
			row: { exitKind: "location", country: "de" },
			via: "munich.example",
		},
		{
			name: "of a city",
			body: { country: "de-berlin" },
			row: { exitKind: "location", country: "de-berlin" },
			via: "berlin.example",
		},
		{
			name: "of a residential network",
			body: { egress: "residential" },
			row: { exitKind: "residential", country: null },
			via: "residential.example",
		},
		{
			name: "of a residential network in a country",
			body: { egress: "residential", country: "fr" },
			row: { exitKind: "residential", country: "fr" },
			via: "residential.example",
		},
		{
			name: "of a proxy",
			body: { proxy: "socks5://proxy.example:1080" },
			row: { exitKind: "own_proxy", country: null },
			via: "proxy.example",
		},
	])("$name is in the row, and is where the session is led", async ({ body, row, via }) => {
		using fixture = new StarterFixture();
		const { session, run } = await fixture.start(ada, body);
		expect(session).toMatchObject(row);
		expect(fixture.store.find(session.id)).toEqual(session);
		const exit = run?.exit;
		expect(exit?.kind).toBe(row.exitKind);
		expect(exit === undefined || exit.kind === "direct" ? undefined : exit.upstream.address.host).toBe(via);
	});

	test("of a residential network is the session's own", async () => {
		using fixture = new StarterFixture();
		const { session, run } = await fixture.start(ada, { egress: "residential" });
		const exit = run?.exit;
		if (exit?.kind !== "residential") throw new Error(`the exit is ${exit?.kind}`);
		expect(exit.upstream.credentials()?.user).toBe(`user-us-${session.id}`);
	});

	test("is what the manager opens", async () => {
		await using fixture = new ManagerFixture();
		const id = await fixture.startRunning(ada, { country: "de-berlin" });
		const exit = fixture.exits.get(id);
		expect(exit?.kind === "location" ? String(exit.upstream) : exit).toBe("http://berlin.example:1001");
	});

	test.each([
		{ body: { country: "xx" }, key: "country-unknown" },
		{ body: { egress: "residential", country: "de" }, key: "residential-country-unknown" },
		{ body: { proxy: "http://127.0.0.1:8080" }, key: "proxy-private" },
		{ body: { proxy: "http://10.0.0.7:8080" }, key: "proxy-private" },
		{ body: { proxy: "http://[::1]:8080" }, key: "proxy-private" },
		{ body: { proxy: "http://169.254.169.254:80" }, key: "proxy-private" },
		{ body: { proxy: "http://localhost:8080" }, key: "proxy-private" },
		{ body: { proxy: "socks5://inside.example:1080" }, key: "proxy-private" },
		{ body: { proxy: "http://proxy.example:25" }, key: "proxy-private" },
		{ body: { proxy: "http://unheard-of.example:8080" }, key: "proxy-invalid" },
		{ body: { proxy: "http://nothing" }, key: "proxy-invalid" },
	])("$body is refused with $key, and takes no slot", async ({ body, key }) => {
		using fixture = new StarterFixture();
		expect(await fixture.refused(ada, body)).toMatchObject({ key, ...invalid });
	});

	test("that answers both a public and a private address is refused", async () => {
		using fixture = new StarterFixture();
		fixture.names.set("both.example", ["198.41.0.4", "192.168.0.1"]);
		const refusal = await fixture.refused(ada, { proxy: "http://both.example:8080" });
		expect(refusal).toMatchObject({ key: "proxy-private", ...invalid });
	});

	test("of no configured residential network is refused", async () => {
		using fixture = new StarterFixture({ exits: { locations: [], residential: undefined } });
		const refusal = await fixture.refused(ada, { egress: "residential" });
		expect(refusal).toMatchObject({ key: "residential-not-configured", ...invalid });
	});
});

describe("a plan without the feature", () => {
	test.each([
		{ body: { country: "de" }, key: "plan-without-locations" },
		{ body: { proxy: "http://proxy.example:8080" }, key: "plan-without-own-proxy" },
		{ body: { proxy: "http://inside.example:8080" }, key: "plan-without-own-proxy" },
		{ body: { egress: "residential" }, key: "plan-without-residential" },
		{ body: { egress: "residential", country: "us" }, key: "plan-without-residential" },
	])("refuses $body with $key, and looks no name up", async ({ body, key }) => {
		using fixture = new StarterFixture({ plans: [basic] });
		fixture.resolving = Promise.reject(new Error("a name was looked up"));
		fixture.resolving.catch(() => {});
		for (const caller of [ada, byHand])
			expect(await fixture.refused(caller, body)).toMatchObject({ key, ...upgrade });
	});

	test("refuses API starts, not those by hand", async () => {
		using fixture = new StarterFixture({ plans: [aPlan("hand", { features: [] })] });
		expect(await fixture.refused(ada)).toMatchObject({ key: "plan-without-api", ...upgrade });
		expect((await fixture.start(byHand)).session.startedByKind).toBe("app");
	});

	test("serves residential starts beside a data pack", async () => {
		const pack = aPlan("pack", { runningSessionLimit: 0, residentialMb: 500, features: ["residential"] });
		using fixture = new StarterFixture({ plans: [basic, pack] });
		fixture.subscribe(pack);
		const { session, quota } = await fixture.start(ada, { egress: "residential" });
		expect(session.subscriptionId).toBe(ada.accountId);
		expect(quota).toEqual({ limit: 3, used: 1, remaining: 2 });
	});
});

describe("a restricted image", () => {
	const allowedImages = ["chrome", "edge"];

	test("is started by a plan with restricted images", async () => {
		using fixture = new StarterFixture();
		const { session, run } = await fixture.start(ada, { image: "vault" });
		expect([session.imageId, run?.image.id]).toEqual(["vault", "vault"]);
	});

	test("is refused by a plan without, with the images that can be used", async () => {
		using fixture = new StarterFixture({ plans: [basic] });
		expect(await fixture.refused(ada, { image: "vault" })).toMatchObject({
			key: "image-restricted",
			status: "upgrade",
			code: "image_restricted",
			extra: { allowedImages },
		});
	});

	test("is refused without any plan", async () => {
		using fixture = new StarterFixture();
		fixture.unsubscribe();
		expect(await fixture.refused(ada, { image: "vault" })).toMatchObject({ key: "image-restricted" });
	});

	test("takes its slot from a subscription with restricted images", async () => {
		const premium = aPlan("premium", { runningSessionLimit: 1 });
		using fixture = new StarterFixture({ plans: [basic, premium] });
		const subscriptionId = fixture.subscribe(premium);
		const { session } = await fixture.start(ada, { image: "vault" });
		expect(session.subscriptionId).toBe(subscriptionId);
		expect(await fixture.refused(ada, { image: "vault" })).toMatchObject({ key: "slots-full", ...denied });
		expect((await fixture.start(ada)).session.subscriptionId).toBe(ada.accountId);
	});

	test("is refused when only a subscription without slots has restricted images", async () => {
		const pack = aPlan("pack", { runningSessionLimit: 0 });
		using fixture = new StarterFixture({ plans: [basic, pack] });
		fixture.subscribe(pack);
		expect(await fixture.refused(ada, { image: "vault" })).toMatchObject({
			key: "image-restricted",
			status: "upgrade",
			code: "image_restricted",
			extra: { allowedImages },
		});
	});

	test("is refused as one that does not exist when it does not", async () => {
		using fixture = new StarterFixture({ plans: [basic] });
		expect(await fixture.refused(ada, { image: "netscape" })).toMatchObject({
			key: "image-not-supported",
			status: "denied",
			code: "image_not_supported",
			extra: { allowedImages },
		});
	});
});

describe("the allowances", () => {
	test("of sessions in a cycle count those that have ended and those by hand", async () => {
		using fixture = new StarterFixture({ plans: [aPlan("two", { cycleSessionLimit: 2 })] });
		for (const caller of [ada, byHand]) fixture.end((await fixture.start(caller)).session.id);
		const refusal = await fixture.refused();
		expect(refusal).toMatchObject({ key: "cycle-sessions-used", ...denied, details: { limit: 2 } });
		expect((await fixture.start(bob)).quota.used).toBe(1);
	});

	test("of runtime are used up by what has run", async () => {
		using fixture = new StarterFixture({ plans: [aPlan("hour", { runtimeMinutes: 60 })] });
		const { session } = await fixture.start();
		fixture.clock.advance(60 * 60_000 - 1);
		fixture.end(session.id);
		const last = await fixture.start();
		fixture.clock.advance(1);
		fixture.end(last.session.id);
		expect(await fixture.refused()).toMatchObject({ key: "runtime-used", ...denied });
	});

	test("of residential traffic refuse residential starts only", async () => {
		using fixture = new StarterFixture({ plans: [aPlan("mb", { residentialMb: 1 })] });
		const { session } = await fixture.start(ada, { egress: "residential" });
		fixture.ledger.meterOf(session).down(1024 * 1024);
		fixture.ledger.flush();
		const refusal = await fixture.refused(ada, { egress: "residential" });
		expect(refusal).toMatchObject({ key: "residential-used", ...denied });
		expect((await fixture.start(ada, { country: "de" })).session.exitKind).toBe("location");
	});

	test("of residential traffic are used up by bytes that are not written yet", async () => {
		using fixture = new StarterFixture({ plans: [aPlan("mb", { residentialMb: 1 })] });
		const { session } = await fixture.start(ada, { egress: "residential" });
		const meter = fixture.ledger.meterOf(session);
		meter.up(1024 * 1024 - 1);
		fixture.end((await fixture.start(ada, { egress: "residential" })).session.id);
		meter.up(1);
		const refusal = await fixture.refused(ada, { egress: "residential" });
		expect(refusal).toMatchObject({ key: "residential-used", ...denied });
		expect((await fixture.start(bob, { egress: "residential" })).session.exitKind).toBe("residential");
	});
});

test("without runtime left running sessions end with `runtime`, and no new one starts", async () => {
	await using fixture = new ManagerFixture({ plans: [aPlan("hour", { runtimeMinutes: 60 })] });
	const id = await fixture.startRunning();
	using attachment = fixture.attach(id);
	fixture.pass(60 * 60_000 - 1);
	expect(fixture.stateOf(id)).toBe("running");
	fixture.pass(1);
	expect(fixture.stateOf(id)).toBe("runtime");
	expect(attachment.signal.reason).toMatchObject({ reason: "runtime" });
	expect(await fixture.refusalOfStart()).toBe("runtime-used");
});

describe("the start rate", () => {
	const starts = { perMinute: 2, perHour: 10, perDay: 10 };

	test("refuses with the exact wait, and lets the start pass after it", async () => {
		using fixture = new StarterFixture({ starts });
		const caller = fixture.withKey();
		await fixture.start(caller);
		fixture.clock.advance(1_500);
		await fixture.start(caller);
		fixture.clock.advance(10_000);
		expect(await fixture.refused(caller)).toMatchObject({
			key: "start-rate",
			status: "denied",
			code: "rate_limited",
			details: { seconds: 49 },
			extra: { retryAfterMs: 48_500 },
		});
		fixture.clock.advance(48_499);
		expect((await fixture.refused(caller)).extra).toEqual({ retryAfterMs: 1 });
		fixture.clock.advance(1);
		expect((await fixture.start(caller)).run).toBeDefined();
	});

	test("does not count what was refused", async () => {
		using fixture = new StarterFixture({ starts });
		const caller = fixture.withKey();
		for (const body of [{ name: "" }, { image: "netscape" }, { country: "xx" }, { proxy: "http://[::1]:1" }])
			await fixture.refused(caller, body);
		for (let count = 0; count < 2; count++) await fixture.start(caller);
		for (let count = 0; count < 20; count++) await fixture.refused(caller);
		fixture.clock.advance(60_000);
		expect((await fixture.start(caller)).run).toBeDefined();
	});

	test("counts the starts of all app keys, and by hand, for the account, and not for another", async () => {
		using fixture = new StarterFixture({ starts });
		await fixture.start(fixture.withKey());
		await fixture.start(byHand);
		for (const caller of [fixture.withKey(), byHand])
			expect(await fixture.refused(caller)).toMatchObject({ code: "rate_limited" });
		expect((await fixture.start(fixture.withKey(bob))).run).toBeDefined();
	});

	test("is no answer to a start that could not be repeated anyway", async () => {
		using fixture = new StarterFixture({ starts, plans: [aPlan("two", { runningSessionLimit: 2 })] });
		for (let count = 0; count < 2; count++) await fixture.start();
		expect(await fixture.refused()).toMatchObject({ key: "slots-full", ...denied });
	});
});

test("a full disk refuses a start as the service's failure, and no slot is taken", async () => {
	using fixture = new StarterFixture();
	const { page_count: pages } = fixture.database.query({ page_count: integer }, "PRAGMA page_count").get();
	fixture.database.query({ max_page_count: integer }, `PRAGMA max_page_count = ${pages}`).get();
	const name = "n".repeat(64);
	const url = `http://a.example/${"u".repeat(100_000)}`;
	expect(await fixture.refused(ada, { name, url })).toMatchObject({
		key: "storage-full",
		status: "error",
		code: "internal_error",
	});
});

test("a start that is still looking for its proxy at the daemon's end is refused, and leaves nothing running", async () => {
	await using fixture = new ManagerFixture({ plans: [team] });
	const resolving = Promise.withResolvers<void>();
	fixture.starts.resolving = resolving.promise;
	const start = refusalFrom(fixture.manager.start(ada, { proxy: "http://proxy.example:8080" }));
	await fixture.manager.endAll();
	resolving.resolve();
	expect(await start).toMatchObject({ key: "shutting-down", status: "error", code: "internal_error" });
	expect(fixture.store.live()).toEqual([]);
	expect(fixture.host.opened()).toEqual([]);
});
