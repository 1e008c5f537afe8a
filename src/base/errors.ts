/**
 * The two kinds of error. A `Refusal` is an expected no that the caller is told about (spec 7); everything else that is
 * thrown is a fault, logged once and shown as `internal_error`. There is no HTTP in here: api/reply maps it.
 */

export type RefusalStatus = "denied" | "upgrade" | "error";

export type RefusalCode =
	| "invalid_arguments"
	| "image_not_supported"
	| "image_restricted"
	| "quota_exceeded"
	| "rate_limited"
	| "internal_error";

/** Every reason for a refusal, with the values that its sentence needs. Each language has a text for each key. */
export interface RefusalTexts {
	"key-missing": Record<never, never>;
	"key-invalid": Record<never, never>;
	"account-unverified": Record<never, never>;
	"plan-without-api": Record<never, never>;
	"session-unknown": Record<never, never>;
	"path-unknown": { method: string; path: string };
	"body-not-json": Record<never, never>;
	"body-not-object": Record<never, never>;
	"body-too-large": { limit: string };
	"field-unknown": { field: string };
	"name-invalid": Record<never, never>;
	"image-invalid": Record<never, never>;
	"image-not-supported": { image: string };
	"url-invalid": Record<never, never>;
	"screen-invalid": Record<never, never>;
	"country-invalid": Record<never, never>;
	"country-unknown": { country: string };
	"country-with-proxy": Record<never, never>;
	"egress-invalid": Record<never, never>;
	"egress-with-proxy": Record<never, never>;
	"proxy-invalid": Record<never, never>;
	"proxy-private": Record<never, never>;
	"residential-not-configured": Record<never, never>;
	"residential-country-unknown": { country: string };
	"idempotency-key-invalid": Record<never, never>;
	"query-limit-invalid": Record<never, never>;
	"query-status-invalid": Record<never, never>;
	"slots-full": { limit: number };
	"no-plan": Record<never, never>;
	"image-restricted": { image: string };
	"plan-without-locations": Record<never, never>;
	"plan-without-own-proxy": Record<never, never>;
	"plan-without-residential": Record<never, never>;
	"cycle-sessions-used": { limit: number };
	"runtime-used": Record<never, never>;
	"residential-used": Record<never, never>;
	"start-rate": { seconds: number };
	"request-rate": Record<never, never>;
	"browser-missing": { image: string };
	"storage-full": Record<never, never>;
	"shutting-down": Record<never, never>;
	fault: Record<never, never>;
}

export type RefusalKey = keyof RefusalTexts;

type RefusalOptions = {
	status?: RefusalStatus;
	code?: RefusalCode;
	/** Further wire fields beside `status`, `message` and `code`, such as `allowedImages`. */
	extra?: Record<string, unknown>;
};

export class Refusal<K extends RefusalKey = RefusalKey> extends Error {
	override readonly name = "Refusal";
	readonly key: K;
	readonly details: RefusalTexts[K];
	readonly status: RefusalStatus;
	readonly code: RefusalCode | undefined;
	readonly extra: Record<string, unknown>;

	constructor(key: K, details: RefusalTexts[K], options: RefusalOptions = {}) {
		super(key);
		this.key = key;
		this.details = details;
		this.status = options.status ?? "denied";
		this.code = options.code;
		this.extra = options.extra ?? {};
	}
}

/** A fault whose message is meant for the operator's eyes: one sentence that says what to do. Ends a command with exit 1. */
export class OperatorError extends Error {
	override readonly name = "OperatorError";
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error such as ENOENT; undefined for anything else. */
export function codeOf(thrown: unknown): string | undefined {
	if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
	return typeof thrown.code === "string" ? thrown.code : undefined;
}
