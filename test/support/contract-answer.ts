/** An answer of the API, checked as every answer has to be (spec 4, 7) before a test looks at it. */
import { OPERATOR_SECRET } from "./contract-offer.ts";
import { checkPublished, isObject, type JsonObject } from "./published-answers.ts";

export interface Answer {
	http: number;
	contentType: string | null;
	/** Without the date. */
	headers: Record<string, string>;
	body: JsonObject;
	/** The body as it came. */
	text: string;
}

function check(condition: boolean, text: string): void {
	if (!condition) throw new Error(text);
}

/**
 * Sends a request below `/v8` and reads its answer. Throws unless that is HTTP 200 with a JSON object, as the OpenAPI document
 * describes it, with nothing in it of the operator's proxies.
 */
export async function answerOf(baseUrl: string, path: string, init: RequestInit = {}): Promise<Answer> {
	const method = (init.method ?? "GET").toUpperCase();
	const response = await fetch(`${baseUrl}${path}`, init);
	const text = await response.text();
	const what = `${method} ${path.slice(0, 200)} answers HTTP ${response.status} ${text.slice(0, 500)}`;
	check(response.status === 200, what);
	const contentType = response.headers.get("content-type");
	check(contentType === "application/json; charset=utf-8", `${what} as ${contentType}`);
	check(!text.includes(OPERATOR_SECRET), `${what}, which holds a secret of the operator`);
	const body: unknown = JSON.parse(text);
	if (!isObject(body)) throw new Error(what);
	// As it was sent: fetch tidies a path up.
	const sent = new URL(`${baseUrl}${path}`).pathname.slice(new URL(baseUrl).pathname.length);
	checkPublished(method, sent, body);
	check(body["status"] === "ok" || response.headers.has("content-language"), `${what} in no language`);
	const { date: _date, ...headers } = Object.fromEntries(response.headers);
	return { http: response.status, contentType, headers, body, text };
}

/** The object in a field of an answer. */
export function objectIn(body: JsonObject, field: string): JsonObject {
	const value = body[field];
	if (!isObject(value)) throw new Error(`${field} is no object: ${JSON.stringify(value)}`);
	return value;
}

/** The objects in a field of an answer. */
export function objectsIn(body: JsonObject, field: string): JsonObject[] {
	const value = body[field];
	if (!Array.isArray(value) || !value.every(isObject))
		throw new Error(`${field} is no list: ${JSON.stringify(value)}`);
	return value;
}
