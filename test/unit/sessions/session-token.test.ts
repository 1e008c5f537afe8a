import { expect, test } from "vitest";
import { SessionTokens } from "../../../src/sessions/session-token.ts";

const tokens = new SessionTokens("a secret");

test("a session's token is the same whenever it is asked for, also after a restart", () => {
	expect(tokens.of("brl-v-v7-a")).toBe(new SessionTokens("a secret").of("brl-v-v7-a"));
});

test("a token differs from session to session and from installation to installation", () => {
	const all = [
		tokens.of("brl-v-v7-a"),
		tokens.of("brl-v-v7-b"),
		new SessionTokens("another").of("brl-v-v7-a"),
	];
	expect(new Set(all).size).toBe(3);
});

test("a token goes into an address as it is", () => {
	expect(tokens.of("brl-v-v7-a")).toMatch(/^[\w-]{43}$/);
});

test("only the session's own token matches", () => {
	const own = tokens.of("brl-v-v7-a");
	expect(tokens.matches("brl-v-v7-a", own)).toBe(true);
	for (const wrong of [
		"",
		own.slice(1),
		`${own} `,
		own.toUpperCase(),
		tokens.of("brl-v-v7-b"),
		"x".repeat(100_000),
	])
		expect(tokens.matches("brl-v-v7-a", wrong)).toBe(false);
});
