import { expect, test } from "vitest";
import { toIso } from "../../../src/base/clock.ts";

test("writes a time in UTC with milliseconds, also when they are zero", () => {
	expect(toIso(0)).toBe("1970-01-01T00:00:00.000Z");
	expect(toIso(1_772_366_400_007)).toBe("2026-03-01T12:00:00.007Z");
});
