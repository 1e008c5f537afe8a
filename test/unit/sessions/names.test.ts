import { expect, test } from "vitest";
import { generateName } from "../../../src/sessions/names.ts";

test("a generated name has the form <adjective>-<animal>-<number> and at most 64 characters", () => {
	const names = Array.from({ length: 2_000 }, generateName);
	for (const name of names) {
		expect(name).toMatch(/^[a-z]+(?:-[a-z']+)+-\d{2,3}$/);
		expect(name.length).toBeLessThanOrEqual(64);
	}
	expect(new Set(names).size).toBeGreaterThan(1_900);
});
