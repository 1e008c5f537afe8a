import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settings } from "../../../src/config/schema.ts";
import { configOf } from "./fixture.ts";

const example = readFileSync(new URL("../../../config.example.toml", import.meta.url), "utf8");

/** Prose begins with "# "; a setting or header that is commented out has no space after the mark. */
const everythingSet = example.replaceAll(/^#(?=[a-z[])/gm, "");

test("as it is, the example file changes nothing", () => {
	expect(configOf(example)).toEqual(configOf(""));
});

test("with every setting uncommented the example file is accepted", () => {
	const config = configOf(everythingSet);
	expect(config.images.map(({ id }) => id)).toEqual(["chrome"]);
	expect(config.plans.map(({ id }) => id)).toEqual(["team"]);
	expect(config.locations[0]?.cities).toHaveLength(1);
	expect(config.residential?.countries).toEqual(["de", "us"]);
	expect(config.server.tls).toBeDefined();
});

test("the values in the example file are the defaults", () => {
	const shown = configOf(everythingSet, { uid: 0 });
	const byDefault = configOf("", { uid: 0 });
	expect(shown.limits).toEqual(byDefault.limits);
	expect(shown.egress).toEqual(byDefault.egress);
	expect({ ...shown.sessions, memoryMaxBytes: undefined }).toEqual(byDefault.sessions);
	expect({ ...shown.server, tls: undefined }).toEqual(byDefault.server);
	const minimal = configOf(
		'[[images]]\nid = "chrome"\nname = "Chrome"\n[[plans]]\nid = "team"\nname = "Team"',
	);
	expect({ ...shown.images[0], picture: undefined }).toEqual(minimal.images[0]);
	const limits = { cycleSessionLimit: null, runtimeMinutes: null, residentialMb: null };
	expect({ ...shown.plans[0], ...limits }).toEqual(minimal.plans[0]);
});

test("the example file shows every key in its table, after a comment", () => {
	const shown: string[] = [];
	let table = "";
	let isExplained = false;
	for (const line of example.split("\n")) {
		const header = /^#?\[+([a-z.]+)\]+$/.exec(line)?.[1];
		const key = /^#?([a-z_]+) = /.exec(line)?.[1];
		if (header !== undefined) table = header;
		if (key !== undefined) {
			shown.push(`${table}.${key}`);
			expect(isExplained, `${table}.${key} has a comment`).toBe(true);
		}
		if (line.startsWith("# ")) isExplained = true;
		else if (key === undefined) isExplained = false;
	}
	expect(shown.toSorted()).toEqual([...settings].toSorted());
});
