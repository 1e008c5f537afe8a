import { describe, expect, test } from "vitest";
import { findRoute, type UpgradeRoute } from "../../../src/http/upgrade-table.ts";

const route = (pattern: RegExp): UpgradeRoute => ({ pattern, handle: async () => {} });
const cdp = route(/^\/web\/([^/]{1,64})\/cdp$/);
/** A pattern whose author forgot to anchor it. */
const loose = route(/\/live\/(\w+)/);
const routes = [cdp, loose];

describe("findRoute", () => {
	test("answers the route, its groups and the query", () => {
		const match = findRoute(routes, "/web/brl-v-v7-a/cdp?token=T&x=%20");
		expect(match?.route).toBe(cdp);
		expect(match?.parameters).toEqual(["brl-v-v7-a"]);
		expect(match?.url.searchParams.get("token")).toBe("T");
		expect(match?.url.searchParams.get("x")).toBe(" ");
	});

	test("takes the route whose pattern it is", () => {
		expect(findRoute(routes, "/live/abc")?.route).toBe(loose);
	});

	test.each([
		"/web/a/cdp",
		"/web/a/cdp?",
		"/web/a/cdp?token=",
		"/web/a%2Fb/cdp?token=T",
		"/web/a/cdp?next=/web/../x//y",
	])("matches %s", (target) => {
		expect(findRoute(routes, target)?.route).toBe(cdp);
	});

	test("leaves an encoded slash in a parameter as it is", () => {
		expect(findRoute(routes, "/web/a%2Fcdp/cdp")?.parameters).toEqual(["a%2Fcdp"]);
	});

	test.each([
		["nothing", ""],
		["the root", "/"],
		["another path", "/json/version"],
		["a path of Chrome's own", "/devtools/browser/0"],
		["a longer path", "/web/a/cdp/"],
		["a longer path of an unanchored pattern", "/live/abc/def"],
		["a path in front", "/x/web/a/cdp"],
		["a path in front of an unanchored pattern", "/x/live/abc"],
		["a shorter path", "/web/a"],
		["no parameter", "/web//cdp"],
		["a parameter that is too long", `/web/${"a".repeat(65)}/cdp`],
		["another letter case", "/WEB/a/cdp"],
		["an encoded slash between", "/web%2Fa/cdp"],
		["an encoded letter", "/%77eb/a/cdp"],
		["an encoded question mark", "/web/a/cdp%3Ftoken=T"],
		["a double slash in front, which is a host's name", "//host/web/a/cdp"],
		["an empty host's name", "///web/a/cdp"],
		["a double slash in front of the path", "//web/a/cdp"],
		["a double slash between", "/web/a//cdp"],
		["a dot segment", "/web/./a/cdp"],
		["a double dot segment", "/x/../web/a/cdp"],
		["an encoded double dot segment", "/x/%2e%2e/web/a/cdp"],
		["a double dot segment as the parameter", "/web/../cdp"],
		["a double dot segment that leaves the parameter", "/web/a/b/../cdp"],
		["backslashes", "/web\\a\\cdp"],
		["a backslash host's name", "/\\host/web/a/cdp"],
		["a fragment", "/web/a/cdp#part"],
		["a tab, which addresses are cleared of", "/web/a/c\tdp"],
		["an absolute target", "http://localhost/web/a/cdp"],
		["an absolute target with another scheme", "ws://host/web/a/cdp"],
		["an authority", "host:80"],
		["an asterisk", "*"],
		["no slash in front", "web/a/cdp"],
		["a blank in front", " /web/a/cdp"],
	])("matches nothing for %s: %j", (_, target) => {
		expect(findRoute(routes, target)).toBeUndefined();
	});

	test("matches nothing without routes", () => {
		expect(findRoute([], "/web/a/cdp")).toBeUndefined();
	});
});
