import { describe, expect, test } from "vitest";
import { hmac, isSameSecret, newSecret, sha256 } from "../../../src/base/secret.ts";

test("sha256 is the hash of the standard, in hex", () => {
	expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

describe("hmac", () => {
	test("is the one of RFC 4231, in base64url", () => {
		const expected = Buffer.from("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "hex");
		expect(hmac("Jefe", "what do ya want for nothing?")).toBe(expected.toString("base64url"));
	});

	test("depends on the secret and on the text", () => {
		expect(new Set([hmac("a", "x"), hmac("a", "y"), hmac("b", "x"), hmac("ax", "")]).size).toBe(4);
	});

	test("fits into an address without encoding", () => {
		for (let round = 0; round < 100; round++) expect(hmac("secret", String(round))).toMatch(/^[\w-]{43}$/);
	});
});

describe("isSameSecret", () => {
	test.each([
		["", "", true],
		["a", "a", true],
		["ä🙂", "ä🙂", true],
		["a", "b", false],
		["a", "", false],
		["", "a", false],
		["abc", "abcd", false],
		["abc", "ABC", false],
		["abc\0", "abc", false],
	])("compares %j with %j", (given, expected, isSame) => {
		expect(isSameSecret(given, expected)).toBe(isSame);
	});
});

test("new secrets have 256 bits and are all different", () => {
	const secrets = Array.from({ length: 100 }, newSecret);
	for (const secret of secrets) expect(Buffer.from(secret, "base64url")).toHaveLength(32);
	expect(new Set(secrets).size).toBe(secrets.length);
});
