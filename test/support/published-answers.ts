/** Holds answers against the published OpenAPI document: what is not described there is as wrong as what does not fit. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument } from "../../src/api/openapi.ts";

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at a place in a document; throws when there is none. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
	let place = value;
	for (const step of path) place = isObject(place) ? place[step] : undefined;
	if (!isObject(place)) throw new Error(`there is no object at ${path.join(" > ")}`);
	return place;
}

/** The document as a client receives it. */
const published: unknown = JSON.parse(JSON.stringify(openApiDocument("http://localhost", "0.0.0-test")));

/** The schema without room for fields that it does not name. */
function closed(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(closed);
	if (!isObject(schema)) return schema;
	const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
	const isOpen = isObject(schema["properties"]) && schema["type"] === "object";
	return { ...(isOpen ? { additionalProperties: false } : {}), ...Object.fromEntries(entries) };
}

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });

function validator(schema: unknown): ValidateFunction {
	return ajv.compile(objectAt(closed(schema)));
}

const isRefusal = validator(objectAt(published, "components", "schemas", "Refusal"));

interface PublishedOperation {
	method: string;
	path: RegExp;
	isAnswer: ValidateFunction;
}

function publishedOperations(): PublishedOperation[] {
	return Object.entries(objectAt(published, "paths")).flatMap(([path, methods]) =>
		Object.keys(objectAt(methods)).map((method) => {
			const content = objectAt(methods, method, "responses", "200", "content", "application/json", "schema");
			const [answer] = Array.isArray(content["anyOf"]) ? content["anyOf"] : [];
			const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}/?$`);
			return { method: method.toUpperCase(), path: pattern, isAnswer: validator(answer) };
		}),
	);
}

const operations = publishedOperations();

/** Throws when the answer to a call of this path (below `/v8`, without its query) is not as the document says. */
export function checkPublished(method: string, path: string, body: unknown): void {
	const operation = operations.find((candidate) => candidate.method === method && candidate.path.test(path));
	const isOk = isObject(body) && body["status"] === "ok";
	if (isOk && operation === undefined) throw new Error(`${method} ${path} is not published, but answers ok`);
	const isValid = isOk && operation !== undefined ? operation.isAnswer : isRefusal;
	if (isValid(body)) return;
	const errors = ajv.errorsText(isValid.errors, { separator: "; " });
	throw new Error(
		`${method} ${path} answers what is not published: ${errors}: ${JSON.stringify(body).slice(0, 500)}`,
	);
}
