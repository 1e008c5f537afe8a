/** The OpenAPI 3.1 document, made from the schemas that check requests and from those that tests hold answers against. */
import type { TSchema } from "@sinclair/typebox";
import { startBodySchema } from "../sessions/start-request.ts";
import { listQuerySchema } from "./routes/list-sessions.ts";
import {
	catalogSchema,
	listedSchema,
	quotaSchema,
	readSchema,
	refusedSchema,
	startedSchema,
	stoppedSchema,
	usageSchema,
} from "./schemas.ts";

export interface Operation {
	method: "get" | "post" | "delete";
	path: string;
	id: string;
	summary: string;
	answer: TSchema;
	body?: TSchema;
	query?: { properties: Record<string, TSchema> };
	/** Everything but the catalog needs an app key. */
	isOpen?: boolean;
}

/** Every operation that the API has (spec 4). */
export const operations: readonly Operation[] = [
	{
		method: "post",
		path: "/web/sessions",
		id: "startSession",
		summary: "Start a session",
		body: startBodySchema,
		answer: startedSchema,
	},
	{
		method: "get",
		path: "/web/sessions",
		id: "listSessions",
		summary: "List the sessions started through the API or MCP, newest first",
		query: listQuerySchema,
		answer: listedSchema,
	},
	{
		method: "get",
		path: "/web/sessions/{id}",
		id: "readSession",
		summary: "Read one session",
		answer: readSchema,
	},
	{
		method: "delete",
		path: "/web/sessions/{id}",
		id: "stopSession",
		summary: "Stop a session; one that has ended keeps its reason",
		answer: stoppedSchema,
	},
	{
		method: "get",
		path: "/web/usage",
		id: "readUsage",
		summary: "What was used lately",
		answer: usageSchema,
	},
	{
		method: "get",
		path: "/user/quota",
		id: "readQuota",
		summary: "What the plan leaves",
		answer: quotaSchema,
	},
	{
		method: "get",
		path: "/image",
		id: "readCatalog",
		summary: "Browser images and locations",
		answer: catalogSchema,
		isOpen: true,
	},
];

/** Plain JSON, with `maxCharacters` under the name that JSON Schema has for it. */
function published(schema: TSchema): unknown {
	return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
		if (typeof value !== "object" || value === null || !("maxCharacters" in value)) return value;
		const { maxCharacters, ...rest } = value;
		return { ...rest, maxLength: maxCharacters };
	});
}

function json(schema: unknown) {
	return { "application/json": { schema } };
}

function parametersOf({ path, query }: Operation): object[] {
	const inPath = path.includes("{id}")
		? [{ name: "id", in: "path", required: true, schema: { type: "string" }, description: "Session id" }]
		: [];
	const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
		name,
		in: "query",
		required: false,
		schema: published(schema),
	}));
	return [...inPath, ...inQuery];
}

function describe(operation: Operation): object {
	const { id, summary, body, answer, isOpen } = operation;
	return {
		operationId: id,
		summary,
		parameters: parametersOf(operation),
		...(body === undefined ? {} : { requestBody: { required: false, content: json(published(body)) } }),
		...(isOpen === true ? { security: [] } : {}),
		responses: {
			"200": {
				description: "Always HTTP 200; `status` tells whether it worked.",
				content: json({ anyOf: [published(answer), { $ref: "#/components/schemas/Refusal" }] }),
			},
		},
	};
}

/** `publicUrl` is how clients reach the daemon, without a trailing slash. */
export function openApiDocument(publicUrl: string, version: string): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const operation of operations) {
		paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "barrel",
			version,
			description:
				"Starts isolated remote browsers, lists, reads and stops them, and reports usage and limits.",
		},
		servers: [{ url: `${publicUrl}/v8` }],
		security: [{ appKey: [] }],
		paths,
		components: {
			securitySchemes: { appKey: { type: "http", scheme: "bearer", bearerFormat: "brl-k-v7-…" } },
			schemas: { Refusal: published(refusedSchema) },
		},
	};
}
