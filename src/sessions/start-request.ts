/** The body of a start call (spec 4.1): what each field may be, and the refusal that names the one that may not. */
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Refusal } from "../base/errors.ts";
import type { Screen } from "./ports.ts";

const DEFAULT_IMAGE = "chrome";
const DEFAULT_SCREEN: Screen = { width: 1366, height: 768 };

const NAME_LONGEST = 64;

const startBodySchema = Type.Object(
	{
		image: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
		name: Type.Optional(Type.String({ description: "1 to 64 characters" })),
		url: Type.Optional(Type.String({ description: "http or https" })),
		screen: Type.Optional(
			Type.Object(
				{
					width: Type.Integer({ minimum: 320, maximum: 1920 }),
					height: Type.Integer({ minimum: 480, maximum: 1080 }),
				},
				{ additionalProperties: false },
			),
		),
	},
	{ additionalProperties: false },
);

/** Fields of the specification that this release refuses instead of ignoring. */
const notBuilt = ["country", "egress", "proxy", "idempotencyKey"];

const refusalOfField = {
	image: "image-invalid",
	name: "name-invalid",
	url: "url-invalid",
	screen: "screen-invalid",
} as const;

function isKnownField(field: string): field is keyof typeof refusalOfField {
	return Object.hasOwn(refusalOfField, field);
}

export interface StartRequest {
	imageId: string;
	/** Undefined: one is generated. */
	name: string | undefined;
	url: string | null;
	screen: Screen;
}

function invalidField(field: keyof typeof refusalOfField): Refusal {
	return new Refusal(refusalOfField[field], {}, { code: "invalid_arguments" });
}

function isWebAddress(text: string): boolean {
	return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Throws a Refusal that names the first field that cannot be used. An absent body asks for the defaults. */
export function parseStartRequest(body: unknown): StartRequest {
	const given = body ?? {};
	if (typeof given !== "object" || Array.isArray(given))
		throw new Refusal("body-not-object", {}, { code: "invalid_arguments" });
	for (const field of Object.keys(given)) {
		if (isKnownField(field)) continue;
		const key = notBuilt.includes(field) ? "field-not-built" : "field-unknown";
		throw new Refusal(key, { field }, { code: "invalid_arguments" });
	}
	if (!Value.Check(startBodySchema, given)) {
		const field = Value.Errors(startBodySchema, given).First()?.path.split("/")[1] ?? "";
		throw isKnownField(field)
			? invalidField(field)
			: new Refusal("body-not-object", {}, { code: "invalid_arguments" });
	}
	const { image, name, url, screen } = given;
	// Characters, not UTF-16 units: an emoji counts as one.
	const nameLength = name === undefined ? 1 : [...name].length;
	if (nameLength < 1 || nameLength > NAME_LONGEST) throw invalidField("name");
	if (url !== undefined && !isWebAddress(url)) throw invalidField("url");
	return { imageId: image ?? DEFAULT_IMAGE, name, url: url ?? null, screen: screen ?? DEFAULT_SCREEN };
}
