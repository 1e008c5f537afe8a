/**
 * The published description: /openapi.json is OpenAPI 3.1 and says of the API what is so, /docs is the same for people. Every
 * answer that any contract test receives is held against it in test/support/contract-answer.ts.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBodySchema } from "../../src/sessions/start-request.ts";
import { type ContractDaemon, startContractDaemon } from "../support/contract-daemon.ts";
import { checkPublished, isObject, type JsonObject, objectAt } from "../support/published-answers.ts";

let daemon: ContractDaemon;
let document: JsonObject;
let docs: Response;
let page: string;

beforeAll(async () => {
	daemon = await startContractDaemon();
	document = objectAt(await (await fetch(`${daemon.url}/openapi.json`)).json());
	docs = await fetch(`${daemon.url}/docs`);
	page = await docs.text();
});

afterAll(() => daemon[Symbol.asyncDispose]());

/** Every operation as "GET /web/sessions/{id}". */
function operations(): [string, JsonObject][] {
	return Object.entries(objectAt(document, "paths")).flatMap(([path, methods]) =>
		Object.entries(objectAt(methods)).map(([method, operation]): [string, JsonObject] => [
			`${method.toUpperCase()} ${path}`,
			objectAt(operation),
		]),
	);
}

/** Every object in a value, with its place as a JSON pointer. */
function* objectsWithin(value: unknown, pointer = "#"): Generator<[string, JsonObject]> {
	if (isObject(value)) yield [pointer, value];
	if (typeof value !== "object" || value === null) return;
	for (const [key, inner] of Object.entries(value))
		yield* objectsWithin(inner, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

/** Every schema of the document. */
function schemas(): JsonObject[] {
	const media = [...objectsWithin(objectAt(document, "paths"))].flatMap(([, object]) =>
		isObject(object["schema"]) ? [object["schema"]] : [],
	);
	return [
		...media,
		...Object.values(objectAt(document, "components", "schemas")).map((schema) => objectAt(schema)),
	];
}

/** The names of all properties in a schema, however deep. */
function propertyNames(schema: unknown): string[] {
	return [...objectsWithin(schema)].flatMap(([, object]) =>
		isObject(object["properties"]) ? Object.keys(object["properties"]) : [],
	);
}

describe("/openapi.json", () => {
	test("is JSON, and needs no key", async () => {
		const response = await fetch(`${daemon.url}/openapi.json`);
		expect(response.status).toBe(200);
		expect(response.headers.get("content-type")).toMatch(/^application\/json/);
	});

	test("has the fields that OpenAPI 3.1 asks for, and no other", () => {
		expect(document).toMatchObject({
			openapi: expect.stringMatching(/^3\.1\.\d+$/),
			info: { title: expect.stringMatching(/\S/), version: "0.0.0-test" },
			servers: [{ url: `${daemon.url}/v8` }],
		});
		const known = ["openapi", "info", "servers", "security", "paths", "components"];
		expect(Object.keys(document).filter((key) => !known.includes(key))).toEqual([]);
	});

	test("has operations in the form of OpenAPI 3.1", () => {
		const known = ["operationId", "summary", "parameters", "requestBody", "security", "responses"];
		for (const [, operation] of operations()) {
			expect(Object.keys(operation).filter((key) => !known.includes(key))).toEqual([]);
			expect(operation["operationId"]).toMatch(/^[a-z][A-Za-z]+$/);
			expect(operation["summary"]).toMatch(/\S/);
			const responses = objectAt(operation, "responses");
			expect(Object.keys(responses)).toEqual(["200"]);
			expect(objectAt(responses, "200")["description"]).toMatch(/\S/);
			expect(isObject(objectAt(responses, "200", "content", "application/json")["schema"])).toBe(true);
		}
	});

	test("has unique operation ids", () => {
		const ids = operations().map(([, { operationId }]) => operationId);
		expect(new Set(ids).size).toBe(ids.length);
	});

	test("declares each parameter of a path, and none twice", () => {
		for (const [name, { parameters }] of operations()) {
			const declared = Array.isArray(parameters) ? parameters.map((parameter) => objectAt(parameter)) : [];
			const inPath = [...name.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter);
			const names = declared.map((parameter) => `${String(parameter["in"])} ${String(parameter["name"])}`);
			expect(new Set(names).size).toBe(names.length);
			expect(names.filter((text) => text.startsWith("path "))).toEqual(inPath.map((text) => `path ${text}`));
			for (const parameter of declared) {
				expect(parameter["in"]).toMatch(/^(?:path|query)$/);
				expect(parameter["required"]).toBe(parameter["in"] === "path");
				expect(isObject(parameter["schema"])).toBe(true);
			}
		}
	});

	test("has a target for every $ref", () => {
		const places = new Set([...objectsWithin(document)].map(([pointer]) => pointer));
		const references = [...objectsWithin(document)].flatMap(([, { $ref }]) =>
			$ref === undefined ? [] : [$ref],
		);
		expect(references.length).toBeGreaterThan(0);
		for (const reference of references) expect(places).toContain(reference);
	});

	test("has valid JSON Schemas without anything that a client would not know", () => {
		const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
		const components = objectAt(document, "components", "schemas");
		for (const [name, schema] of Object.entries(components))
			ajv.addSchema(objectAt(schema), `#/components/schemas/${name}`);
		for (const schema of schemas()) {
			expect(ajv.validateSchema(schema)).toBe(true);
			const text = JSON.stringify(schema).replaceAll(/"\$ref":"[^"]+"/g, '"description":"elsewhere"');
			ajv.compile(objectAt(JSON.parse(text)));
		}
	});

	test("names its security schemes, and leaves only the catalog open", () => {
		const schemes = Object.keys(objectAt(document, "components", "securitySchemes"));
		expect(document["security"]).toEqual(schemes.map((scheme) => ({ [scheme]: [] })));
		const open = operations().filter(([, { security }]) => security !== undefined);
		expect(open.map(([name, { security }]) => [name, security])).toEqual([["GET /image", []]]);
	});

	test("has every address of the app, and no other", () => {
		const published = operations().map(([name]) =>
			name.replace(" ", " /v8").replaceAll(/\{([^}]+)\}/g, ":$1"),
		);
		expect(new Set(published)).toEqual(new Set(daemon.routes));
		expect(published).toHaveLength(daemon.routes.length);
	});

	test("has every field of a start's body with its bounds", () => {
		const body = objectAt(
			document,
			"paths",
			"/web/sessions",
			"post",
			"requestBody",
			"content",
			"application/json",
		);
		const properties = objectAt(body, "schema", "properties");
		expect(Object.keys(properties)).toEqual(Object.keys(startBodySchema.properties));
		expect(properties).toMatchObject({
			name: { type: "string", minLength: 1, maxLength: 64 },
			idempotencyKey: { type: "string", minLength: 1, maxLength: 128 },
			egress: { const: "residential" },
			screen: {
				properties: {
					width: { type: "integer", minimum: 320, maximum: 1920 },
					height: { type: "integer", minimum: 480, maximum: 1080 },
				},
			},
		});
	});

	test("has the list's parameters with their bounds", () => {
		expect(objectAt(document, "paths", "/web/sessions", "get")["parameters"]).toMatchObject([
			{ name: "status", in: "query", schema: { const: "all" } },
			{ name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 200, default: 50 } },
		]);
	});

	test("has every status, code and further field of a refusal", () => {
		const { status, code, ...others } = objectAt(document, "components", "schemas", "Refusal", "properties");
		const constants = (schema: unknown) =>
			[...objectsWithin(schema)].flatMap(([, object]) => ("const" in object ? [object["const"]] : []));
		expect(constants(status)).toEqual(["denied", "upgrade", "error"]);
		expect(new Set(constants(code))).toEqual(
			new Set([
				"image_not_supported",
				"image_restricted",
				"internal_error",
				"invalid_arguments",
				"quota_exceeded",
				"rate_limited",
			]),
		);
		expect(Object.keys(others)).toEqual(["message", "allowedImages", "retryAfterMs", "loggedIn", "verified"]);
	});
});

describe("the check of every answer", () => {
	test.each([
		["a missing field", "GET", "/web/sessions/x", { status: "ok" }],
		["a field that is not published", "DELETE", "/web/sessions/x", { status: "ok", more: 1 }],
		["an unknown status", "GET", "/image", { status: "fine" }],
		["a refusal without a message", "GET", "/image", { status: "denied" }],
		["an unknown code", "GET", "/image", { status: "denied", code: "other", message: "No." }],
		["an ok at an address that is not published", "GET", "/nothing", { status: "ok" }],
	])("finds %s", (_, method, path, body) => {
		expect(() => checkPublished(method, path, body)).toThrow(/publish/);
	});
});

describe("/docs", () => {
	test("is a page that may load nothing", () => {
		expect(docs.status).toBe(200);
		expect(docs.headers.get("content-type")).toBe("text/html; charset=utf-8");
		const policy = docs.headers.get("content-security-policy") ?? "";
		expect(policy.split("; ")).toEqual(
			expect.arrayContaining(["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]),
		);
		expect(policy).not.toMatch(/script-src|https?:|\*/);
	});

	test("loads nothing from outside, and runs nothing", () => {
		const targets = [...page.matchAll(/(?:src|href|action|data|poster|srcset)\s*=\s*["']?([^"'\s>]+)/gi)];
		const elsewhere = targets
			.map(([, target]) => new URL(target ?? "", `${daemon.url}/docs`))
			.filter(({ origin }) => origin !== daemon.url);
		expect(targets.length).toBeGreaterThan(0);
		expect(elsewhere).toEqual([]);
		expect(page).not.toMatch(/url\(|@import|<script|<iframe|<object|<embed|<link|\son\w+=/i);
		const addresses = [...page.matchAll(/https?:\/\/[^\s<"']+/g)].map(([address]) => address);
		expect(
			addresses.filter((address) => address.includes("://") && address.startsWith(daemon.url)),
		).not.toEqual([]);
	});

	test("leads to places that it has", () => {
		for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`);
	});

	test("names every operation and every field of what it takes and answers", () => {
		for (const [name, operation] of operations()) {
			const { operationId } = operation;
			const section = page.split("<h2 ").find((part) => part.startsWith(`id="${String(operationId)}"`)) ?? "";
			expect(section).toContain(`<code>${name.replace(" ", " /v8")}</code>`);
			const content = objectAt(operation, "responses", "200", "content", "application/json", "schema");
			const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"] : [];
			const inQuery = parameters.filter((parameter) => objectAt(parameter)["in"] === "query");
			const fields = [
				...inQuery.map((parameter) => String(objectAt(parameter)["name"])),
				...propertyNames(operation["requestBody"]),
				...propertyNames(content),
			];
			for (const field of fields) expect(section).toMatch(new RegExp(`<code>(?:[\\w.]+\\.)?${field}</code>`));
		}
	});

	test("names every field of a refusal", () => {
		const refusal = objectAt(document, "components", "schemas", "Refusal", "properties");
		for (const field of Object.keys(refusal)) expect(page).toContain(`<code>${field}</code>`);
	});

	test("has no text that a client or the operator wrote unescaped", async () => {
		await using odd = await startContractDaemon({ publicUrl: 'https://x.example/<script>&"' });
		const text = await (await fetch(`${odd.url}/docs`)).text();
		expect(text).not.toContain("<script>");
	});
});
