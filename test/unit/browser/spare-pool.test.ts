import { afterEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { type SparePlace, SparePool, type SpareWish } from "../../../src/browser/spare-pool.ts";
import type { BrowserExit, RunningBrowser } from "../../../src/sessions/ports.ts";
import { waitFor } from "../../support/wait-for.ts";

const wish: SpareWish = {
	image: { id: "chrome", executable: "/opt/chrome", flags: [] },
	screen: { width: 1366, height: 768 },
};

class Place implements SparePlace {
	readonly id: string;
	readonly egressSocketPath = "/run/egress.sock";
	readonly exit = Promise.withResolvers<BrowserExit>();
	isGone = false;
	failure: Error | undefined;

	constructor(id: string) {
		this.id = id;
	}

	async warmUp(): Promise<RunningBrowser> {
		if (this.failure !== undefined) throw this.failure;
		return this.start();
	}

	async start(): Promise<RunningBrowser> {
		return { cdp: { socketPath: "/run/cdp.sock", path: "/devtools/browser/x" }, exited: this.exit.promise };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.isGone = true;
	}
}

let pool: SparePool | undefined;
let places: Place[] = [];

function open(
	count: number,
	options: { failure?: Error; wish?: () => SpareWish | undefined } = {},
): SparePool {
	places = [];
	pool = new SparePool({
		count,
		log: silentLog,
		wish: options.wish ?? (() => wish),
		openPlace: (id) => {
			const place = new Place(id);
			place.failure = options.failure;
			places.push(place);
			return place;
		},
	});
	return pool;
}

afterEach(async () => {
	await pool?.[Symbol.asyncDispose]();
});

async function untilTaken(spares: SparePool, wanted: SpareWish = wish): Promise<string> {
	let id: string | undefined;
	await waitFor(() => {
		id ??= spares.take(wanted);
		return id !== undefined;
	}, "a spare waits");
	return id ?? "";
}

test("a spare is given once, and another one takes its place", async () => {
	const spares = open(1);
	const first = await untilTaken(spares);
	expect(spares.take(wish)).toBeUndefined();
	expect(spares.claim(first)).toBe(places[0]);
	expect(spares.claim(first)).toBeUndefined();
	expect(await untilTaken(spares)).not.toBe(first);
});

test.each([
	["another viewport", { ...wish, screen: { width: 800, height: 600 } }],
	["another executable", { ...wish, image: { ...wish.image, executable: "/opt/other" } }],
	["other flags", { ...wish, image: { ...wish.image, flags: ["--lang=de"] } }],
])("a spare does not serve %s", async (_what, other) => {
	const spares = open(1);
	const id = await untilTaken(spares);
	spares.giveBack(id);
	expect(spares.take(other)).toBeUndefined();
	expect(spares.take(wish)).toBe(id);
});

test("an id that is none of a spare's claims nothing and gives nothing back", async () => {
	const spares = open(1);
	expect(spares.claim("brl-v-v7-00000000000000000000")).toBeUndefined();
	spares.giveBack("brl-v-v7-00000000000000000000");
	await untilTaken(spares);
	expect(spares.take(wish)).toBeUndefined();
});

test("a spare whose browser ends while it waits is cleared up and replaced", async () => {
	const spares = open(1);
	await waitFor(() => places.length === 1, "a spare is made");
	const id = await untilTaken(spares);
	spares.giveBack(id);
	places[0]?.exit.resolve({ kind: "failed", detail: "killed" });
	await waitFor(() => places.length === 2, "another spare is made");
	expect(places[0]?.isGone).toBe(true);
	expect(await untilTaken(spares)).not.toBe(id);
});

test("a browser that cannot be started is cleared up and not tried again at once", async () => {
	const spares = open(2, { failure: new Error("no") });
	await waitFor(() => places[0]?.isGone === true, "the first attempt is cleared up");
	expect(places).toHaveLength(1);
	expect(spares.take(wish)).toBeUndefined();
});

test("without a browser to start nothing is tried", async () => {
	let asked = 0;
	open(1, {
		wish: () => {
			asked++;
			return undefined;
		},
	});
	await waitFor(() => asked > 0, "the pool has asked");
	expect(places).toEqual([]);
});

test("closing ends what waits and what was taken but not claimed, and leaves what was claimed", async () => {
	const spares = open(3);
	await waitFor(() => places.length === 3, "three spares are made");
	const [claimed, taken] = [await untilTaken(spares), await untilTaken(spares)];
	spares.claim(claimed);
	await spares[Symbol.asyncDispose]();
	const left = places.filter((place) => !place.isGone).map((place) => place.id);
	expect(left).toEqual([claimed]);
	expect(taken).not.toBe(claimed);
	expect(spares.take(wish)).toBeUndefined();
});
