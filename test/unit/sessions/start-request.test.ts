import { describe, expect, test } from "vitest";
import { parseStartRequest } from "../../../src/sessions/start-request.ts";
import { refusalOf } from "../../support/refusal-of.ts";

const defaults = {
	imageId: "chrome",
	name: undefined,
	url: null,
	screen: { width: 1366, height: 768 },
	exit: { kind: "direct" },
	idempotencyKey: undefined,
};
const emoji = "🦦";

const refused = (body: unknown) => {
	const { status, code, key, details } = refusalOf(() => parseStartRequest(body));
	return { status, code, key, details };
};
const invalid = (key: string, details: object = {}) => ({
	status: "denied",
	code: "invalid_arguments",
	key,
	details,
});

describe("the body", () => {
	test.each([[undefined], [{}]])("%j asks for the defaults", (body) => {
		expect(parseStartRequest(body)).toEqual(defaults);
	});

	test.each([[null], [[]], [[{ name: "a" }]], ["text"], [""], [7], [0], [true], [false]])(
		"%j is no object",
		(body) => {
			expect(refused(body)).toEqual(invalid("body-not-object"));
		},
	);

	test("may have every field at once, but for proxy", () => {
		const body = {
			image: "edge",
			name: "n",
			url: "https://a.example/",
			country: "de-berlin",
			egress: "residential",
			screen: { width: 800, height: 600 },
			idempotencyKey: "once",
		};
		expect(parseStartRequest(body)).toEqual({
			imageId: "edge",
			name: "n",
			url: "https://a.example/",
			screen: { width: 800, height: 600 },
			exit: { kind: "residential", country: "de-berlin" },
			idempotencyKey: "once",
		});
	});

	test.each(["nam", "Name", "name ", "imageId", "connectUrl", "", "a/b", "screen/width", "timeout"])(
		"has no field %j",
		(field) => {
			expect(refused({ [field]: "x" })).toEqual(invalid("field-unknown", { field }));
		},
	);

	test.each(["toString", "constructor", "hasOwnProperty", "valueOf"])(
		"has no field %j, although every object has one",
		(field) => {
			expect(refused({ [field]: "x" })).toEqual(invalid("field-unknown", { field }));
		},
	);

	test("has no field __proto__", () => {
		expect(refused(JSON.parse('{"__proto__":{"name":"x"}}'))).toEqual(
			invalid("field-unknown", { field: "__proto__" }),
		);
	});

	test("names an unknown field even when another field is wrong", () => {
		expect(refused({ name: "", colour: "red" })).toEqual(invalid("field-unknown", { field: "colour" }));
	});
});

describe("name", () => {
	test.each([
		["1 character", "a"],
		["64 characters", "a".repeat(64)],
		["one emoji", emoji],
		["64 emoji", emoji.repeat(64)],
		["letters of every kind", "Ää ß 日本 العربية"],
		["a blank", " "],
	])("may be %s", (_, name) => {
		expect(parseStartRequest({ name }).name).toBe(name);
	});

	test.each([
		["empty", ""],
		["65 characters", "a".repeat(65)],
		["65 emoji", emoji.repeat(65)],
		["half a character", emoji.slice(0, 1)],
		["a number", 7],
		["null", null],
		["a boolean", true],
		["an array", ["a"]],
		["an object", {}],
	])("may not be %s", (_, name) => {
		expect(refused({ name })).toEqual(invalid("name-invalid"));
	});
});

describe("image", () => {
	test.each(["chrome", "a", "a".repeat(128)])("may be %j", (image) => {
		expect(parseStartRequest({ image }).imageId).toBe(image);
	});

	test.each([[""], ["a".repeat(129)], [7], [null], [false], [["chrome"]], [{ id: "chrome" }]])(
		"may not be %j",
		(image) => {
			expect(refused({ image })).toEqual(invalid("image-invalid"));
		},
	);
});

describe("url", () => {
	test.each([
		"http://example.org",
		"https://example.org/path?query=1#part",
		"HTTPS://EXAMPLE.ORG/",
		"hTTp://example.org",
		"http://user:password@example.org:8080/",
		"http://[2001:db8::1]/",
		"https://münchen.example/straße",
	])("may be %s, and is kept as it is", (url) => {
		expect(parseStartRequest({ url }).url).toBe(url);
	});

	test.each([
		"",
		"/",
		"/path",
		"path",
		"example.org",
		"//example.org/",
		"http:",
		"http://",
		"https:///",
		"http:example.org",
		"http:/example.org",
		"http://a b/",
		"http://example.org:99999/",
		" http://example.org",
		"file:///etc/passwd",
		"FILE:///etc/passwd",
		"javascript:alert(1)",
		"javascript://example.org/%0aalert(1)",
		"data:text/html,hi",
		"ftp://example.org/",
		"chrome://version",
		"about:blank",
		"view-source:https://example.org",
		"blob:https://example.org/1",
		"ws://example.org/",
		"httpx://example.org/",
		"https\n://example.org",
		`https://example.org/${emoji.slice(0, 1)}`,
	])("may not be %j", (url) => {
		expect(refused({ url })).toEqual(invalid("url-invalid"));
	});

	test.each([[7], [null], [true], [["https://example.org"]], [{}]])("may not be %j", (url) => {
		expect(refused({ url })).toEqual(invalid("url-invalid"));
	});
});

describe("screen", () => {
	test.each([
		{ width: 320, height: 480 },
		{ width: 1920, height: 1080 },
		{ width: 320, height: 1080 },
		{ width: 1024, height: 768 },
	])("may be %j", (screen) => {
		expect(parseStartRequest({ screen }).screen).toEqual(screen);
	});

	test.each([
		[{ width: 319, height: 480 }],
		[{ width: 1921, height: 1080 }],
		[{ width: 320, height: 479 }],
		[{ width: 1920, height: 1081 }],
		[{ width: 800.5, height: 600 }],
		[{ width: 800, height: 600.1 }],
		[{ width: "800", height: 600 }],
		[{ width: 800, height: null }],
		[{ width: -800, height: 600 }],
		[{ width: 1e9, height: 600 }],
		[{ width: 800 }],
		[{ height: 600 }],
		[{}],
		[{ width: 800, height: 600, depth: 24 }],
		[{ width: 800, height: 600, "a/b": 1 }],
		[null],
		["800x600"],
		[800],
		[[800, 600]],
		[true],
	])("may not be %j", (screen) => {
		expect(refused({ screen })).toEqual(invalid("screen-invalid"));
	});
});

describe("country", () => {
	test.each(["de", "de-berlin", "us-new-york-2", `de-${"a".repeat(61)}`])("may be %j", (country) => {
		expect(parseStartRequest({ country }).exit).toEqual({ kind: "location", country });
	});

	test.each([
		[""],
		["d"],
		["deu"],
		["DE"],
		["de-"],
		["de-Berlin"],
		["de berlin"],
		["de_berlin"],
		["de\n"],
		[" de"],
		["de-münchen"],
		[`de-${"a".repeat(62)}`],
		[null],
		[49],
		[true],
		[["de"]],
		[{ code: "de" }],
	])("may not be %j", (country) => {
		expect(refused({ country })).toEqual(invalid("country-invalid"));
	});
});

describe("egress", () => {
	test("may be residential, in any country", () => {
		expect(parseStartRequest({ egress: "residential" }).exit).toEqual({ kind: "residential", country: null });
	});

	test("may be residential in a country", () => {
		const exit = { kind: "residential", country: "us" };
		expect(parseStartRequest({ egress: "residential", country: "us" }).exit).toEqual(exit);
	});

	test.each([
		[""],
		["Residential"],
		["residential "],
		["datacenter"],
		[null],
		[true],
		[1],
		[["residential"]],
		[{}],
	])("may not be %j", (egress) => {
		expect(refused({ egress })).toEqual(invalid("egress-invalid"));
	});

	test("residential in what is no country code is refused for the country", () => {
		expect(refused({ egress: "residential", country: "USA" })).toEqual(invalid("country-invalid"));
	});
});

describe("proxy", () => {
	test.each(["http", "https", "socks4", "socks5"])("may be a %s proxy", (protocol) => {
		const { exit } = parseStartRequest({ proxy: `${protocol}://user:p%40ss@proxy.example:8080` });
		if (exit.kind !== "own_proxy") throw new Error(`the exit is ${exit.kind}`);
		expect(exit.upstream).toMatchObject({ protocol, address: { host: "proxy.example", port: 8080 } });
		expect(exit.upstream.credentials()).toEqual({ user: "user", password: "p@ss" });
	});

	test("may have 2048 characters", () => {
		const proxy = `http://${"u".repeat(2022)}@proxy.example:8080`;
		expect(proxy).toHaveLength(2_048);
		expect(parseStartRequest({ proxy }).exit.kind).toBe("own_proxy");
		expect(refused({ proxy: proxy.replace("u", "uu") })).toEqual(invalid("proxy-invalid"));
	});

	test.each([
		[""],
		["proxy.example:8080"],
		["http://proxy.example"],
		["http://proxy.example:0"],
		["http://proxy.example:65536"],
		["http://proxy.example:8080/path"],
		["http://proxy.example:8080?query"],
		["ftp://proxy.example:21"],
		["socks://proxy.example:1080"],
		["http://:8080"],
		["http://user:p%zz@proxy.example:8080"],
		["http://proxy.example:8080 "],
		["http://proxy.example:8080\r\nX: y"],
		[null],
		[8080],
		[false],
		[["http://proxy.example:8080"]],
		[{ server: "http://proxy.example:8080" }],
	])("may not be %j", (proxy) => {
		expect(refused({ proxy })).toEqual(invalid("proxy-invalid"));
	});

	const proxy = "http://proxy.example:8080";

	test.each([
		{ body: { proxy, country: "de" }, key: "country-with-proxy" },
		{ body: { proxy, egress: "residential" }, key: "egress-with-proxy" },
		{ body: { proxy, egress: "residential", country: "de" }, key: "country-with-proxy" },
		{ body: { proxy: "no proxy", country: "de" }, key: "country-with-proxy" },
		{ body: { proxy: "no proxy", egress: "residential" }, key: "egress-with-proxy" },
		{ body: { proxy, country: "DE" }, key: "country-invalid" },
		{ body: { proxy, egress: "none" }, key: "egress-invalid" },
		{ body: { proxy: "", country: "de" }, key: "proxy-invalid" },
	])("of $body is refused with $key", ({ body, key }) => {
		expect(refused(body)).toEqual(invalid(key));
	});
});

describe("idempotencyKey", () => {
	test.each([
		["1 character", "k"],
		["a blank", " "],
		["128 characters", "k".repeat(128)],
		["128 emoji", emoji.repeat(128)],
	])("may be %s", (_, idempotencyKey) => {
		expect(parseStartRequest({ idempotencyKey }).idempotencyKey).toBe(idempotencyKey);
	});

	test.each([
		["empty", ""],
		["129 characters", "k".repeat(129)],
		["129 emoji", emoji.repeat(129)],
		["half a character", `k${emoji.slice(1)}`],
		["128 characters and an emoji", `${"k".repeat(128)}${emoji}`],
		["a number", 7],
		["null", null],
		["a boolean", true],
		["an array", ["k"]],
		["an object", {}],
	])("may not be %s", (_, idempotencyKey) => {
		expect(refused({ idempotencyKey })).toEqual(invalid("idempotency-key-invalid"));
	});
});
