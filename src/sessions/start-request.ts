/** The body of a start call (spec 4.1): what each field may be, how they combine, and the refusal that names the wrong one. */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Refusal } from "../base/errors.ts";
import { parseUpstream, type Upstream } from "../egress/exit.ts";
import type { Screen } from "./ports.ts";

export const DEFAULT_IMAGE = "chrome";
export const DEFAULT_SCREEN: Screen = { width: 1366, height: 768 };

export const screenSchema = Type.Object(
	{
		width: Type.Integer({ minimum: 320, maximum: 1920 }),
		height: Type.Integer({ minimum: 480, maximum: 1080 }),
	},
	{ additionalProperties: false },
);

/** Longest texts in characters, where the schema checker would count UTF-16 units: an emoji is one character. */
const mostCharacters = { name: 64, idempotencyKey: 128 } as const;

/** `maxCharacters` is the `maxLength` of the published schema. */
export const startBodySchema = Type.Object(
	{
		image: Type.Optional(
			Type.String({ minLength: 1, maxLength: 128, description: "Image id; default `chrome`." }),
		),
		name: Type.Optional(
			Type.String({
				minLength: 1,
				maxCharacters: mostCharacters.name,
				description: "Generated when left out.",
			}),
		),
		url: Type.Optional(
			Type.String({
				pattern: "^[hH][tT][tT][pP][sS]?://",
				description: "Address to open at start; http or https.",
			}),
		),
		country: Type.Optional(
			Type.String({
				pattern: "^[a-z]{2}(-[a-z0-9-]{1,61})?$",
				description: "Country or city code of the catalog. Not together with proxy.",
			}),
		),
		egress: Type.Optional(
			Type.Literal("residential", {
				description: "Exit through a residential connection. Not together with proxy.",
			}),
		),
		proxy: Type.Optional(
			Type.String({
				minLength: 1,
				maxLength: 2048,
				description: "protocol://[user:password@]host:port, protocol one of http, https, socks4, socks5.",
			}),
		),
		screen: Type.Optional(screenSchema),
		idempotencyKey: Type.Optional(
			Type.String({
				minLength: 1,
				maxCharacters: mostCharacters.idempotencyKey,
				description: "Within 10 minutes the same key returns the first successful response.",
			}),
		),
	},
	{ additionalProperties: false },
);

type StartBody = Static<typeof startBodySchema>;

const refusalOfField = {
	image: "image-invalid",
	name: "name-invalid",
	url: "url-invalid",
	country: "country-invalid",
	egress: "egress-invalid",
	proxy: "proxy-invalid",
	screen: "screen-invalid",
	idempotencyKey: "idempotency-key-invalid",
} as const satisfies Record<keyof StartBody, string>;

function isKnownField(field: string): field is keyof StartBody {
	return Object.hasOwn(refusalOfField, field);
}

/** The way out that a start call asks for, before it is known whether it can be had. */
export type ExitWish =
	| { kind: "direct" }
	| { kind: "location"; country: string }
	| { kind: "residential"; country: string | null }
	| { kind: "own_proxy"; upstream: Upstream };

export interface StartRequest {
	imageId: string;
	/** Undefined: one is generated. */
	name: string | undefined;
	url: string | null;
	screen: Screen;
	exit: ExitWish;
	idempotencyKey: string | undefined;
}

function invalid(
	key:
		| (typeof refusalOfField)[keyof StartBody]
		| "body-not-object"
		| "country-with-proxy"
		| "egress-with-proxy",
): Refusal {
	return new Refusal(key, {}, { code: "invalid_arguments" });
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkedBody(body: unknown): StartBody {
	if (body === undefined) return {};
	if (!isObject(body)) throw invalid("body-not-object");
	const unknownField = Object.keys(body).find((field) => !isKnownField(field));
	if (unknownField !== undefined)
		throw new Refusal("field-unknown", { field: unknownField.slice(0, 64) }, { code: "invalid_arguments" });
	if (Value.Check(startBodySchema, body)) {
		// Halves of a character cannot be stored: different ones would become the same text.
		for (const field of ["name", "url", "idempotencyKey"] as const)
			if (!(body[field] ?? "").isWellFormed()) throw invalid(refusalOfField[field]);
		for (const field of ["name", "idempotencyKey"] as const)
			if ([...(body[field] ?? "")].length > mostCharacters[field]) throw invalid(refusalOfField[field]);
		return body;
	}
	const field = Value.Errors(startBodySchema, body).First()?.path.split("/")[1] ?? "";
	throw invalid(isKnownField(field) ? refusalOfField[field] : "body-not-object");
}

function exitWish({ country, egress, proxy }: StartBody): ExitWish {
	if (proxy !== undefined) {
		if (country !== undefined) throw invalid("country-with-proxy");
		if (egress !== undefined) throw invalid("egress-with-proxy");
		const upstream = parseUpstream(proxy);
		if (upstream === undefined) throw invalid("proxy-invalid");
		return { kind: "own_proxy", upstream };
	}
	if (egress === "residential") return { kind: "residential", country: country ?? null };
	return country === undefined ? { kind: "direct" } : { kind: "location", country };
}

/** Throws a Refusal that names the first field that cannot be used. An absent body asks for the defaults. */
export function parseStartRequest(body: unknown): StartRequest {
	const checked = checkedBody(body);
	const { image, name, url, screen, idempotencyKey } = checked;
	if (url !== undefined && !URL.canParse(url)) throw invalid("url-invalid");
	return {
		imageId: image ?? DEFAULT_IMAGE,
		name,
		url: url ?? null,
		screen: screen ?? DEFAULT_SCREEN,
		exit: exitWish(checked),
		idempotencyKey,
	};
}
