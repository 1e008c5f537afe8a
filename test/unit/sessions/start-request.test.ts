import { describe, expect, test } from "vitest";
import { parseStartRequest } from "../../../src/sessions/start-request.ts";
import { refusalOf } from "../../support/refusal-of.ts";

const defaults = { imageId: "chrome", name: undefined, url: null, screen: { width: 1366, height: 768 } };
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
	test.each([[undefined], [null], [{}]])("%j asks for the defaults", (body) => {
		expect(parseStartRequest(body)).toEqual(defaults);
	});

	test.each([[[]], [[{ name: "a" }]], ["text"], [""], [7], [0], [true], [false]])(
		"%j is no object",
		(body) => {
			expect(refused(body)).toEqual(invalid("body-not-object"));
		},
	);

	test("may have every field at once", () => {
		const body = { image: "edge", name: "n", url: "https://a.example/", screen: { width: 800, height: 600 } };
		const request = {
			imageId: "edge",
			name: "n",
			url: "https://a.example/",
			screen: { width: 800, height: 600 },
		};
		expect(parseStartRequest(body)).toEqual(request);
	});

	test.each(["country", "egress", "proxy", "idempotencyKey"])(
		"has no %s yet, and says so by name",
		(field) => {
			expect(refused({ [field]: "de" })).toEqual(invalid("field-not-built", { field }));
		},
	);

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
