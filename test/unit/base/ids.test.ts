import { describe, expect, test } from "vitest";
import { isSessionId, newAppKey, newSessionId } from "../../../src/base/ids.ts";

describe("session ids", () => {
	test("have the form brl-v-v7-<20 lower-case letters and digits> and recognize themselves", () => {
		for (let round = 0; round < 200; round++) {
			const id = newSessionId();
			expect(id).toMatch(/^brl-v-v7-[0-9a-z]{20}$/);
			expect(isSessionId(id)).toBe(true);
		}
	});

	test("are all different", () => {
		expect(new Set(Array.from({ length: 1_000 }, newSessionId)).size).toBe(1_000);
	});

	test.each([
		"",
		"brl-v-v7-",
		"brl-v-v7-0123456789abcdefghi",
		"brl-v-v7-0123456789abcdefghijk",
		"brl-v-v7-0123456789ABCDEFGHIJ",
		"brl-v-v7-0123456789abcdefghi/",
		"brl-v-v7-0123456789abcdefghij\n",
		" brl-v-v7-0123456789abcdefghij",
		"brl-k-v7-0123456789abcdefghij",
		"../brl-v-v7-0123456789abcdefghij",
	])("are not %j", (text) => {
		expect(isSessionId(text)).toBe(false);
	});
});

test("app keys begin with brl-k-v7- and carry 43 letters and digits", () => {
	const keys = Array.from({ length: 200 }, newAppKey);
	for (const key of keys) expect(key).toMatch(/^brl-k-v7-[0-9A-Za-z]{43}$/);
	expect(new Set(keys).size).toBe(keys.length);
});
