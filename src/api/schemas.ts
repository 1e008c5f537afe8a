/** Every answer of the API as a schema (spec 2, 4, 7): published in the OpenAPI document, and held against live answers by tests. */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { screenSchema } from "../sessions/start-request.ts";

const timestamp = Type.String({
	pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
	description: "ISO 8601, UTC",
});
const count = Type.Integer({ minimum: 0 });
const sessionId = Type.String({ pattern: "^brl-v-v7-[0-9a-z]{20}$" });
const connectUrl = Type.String({
	pattern: "^wss?://.+/web/brl-v-v7-[0-9a-z]{20}/cdp\\?token=.+$",
	description: "CDP WebSocket address with the session's own token; treat it like a password.",
});

function nullable<T extends TSchema>(schema: T) {
	return Type.Union([schema, Type.Null()]);
}

function ok<T extends TProperties>(properties: T) {
	return Type.Object({ status: Type.Literal("ok"), ...properties });
}

const identity = { id: sessionId, name: Type.String({ minLength: 1 }), image: Type.String() };

export const startedSchema = ok({
	...identity,
	connectUrl,
	liveViewUrl: Type.String(),
	createdAt: timestamp,
	screen: screenSchema,
	quota: Type.Object({
		running_session_limit: count,
		running_sessions_used: count,
		running_sessions_remaining: count,
	}),
});

const endedReason = Type.Union(
	["stopped", "timeout", "disconnect", "runtime", "error", "lost"].map((reason) => Type.Literal(reason)),
);

const sessionSchema = Type.Object({
	...identity,
	status: Type.Union(["starting", "running", "ended"].map((status) => Type.Literal(status))),
	createdAt: timestamp,
	endedAt: nullable(timestamp),
	endedReason: nullable(endedReason),
	expiresAt: timestamp,
	lastseen: timestamp,
	url: nullable(Type.String()),
	country: nullable(Type.String()),
	screen: screenSchema,
	connectUrl: nullable(connectUrl),
	liveViewUrl: Type.String(),
	startedByKind: Type.Union([Type.Literal("agent"), Type.Literal("app")]),
	analysisEnabled: Type.Boolean(),
	startedBy: Type.Object({
		id: Type.Integer(),
		email: Type.String(),
		firstname: Type.String(),
		lastname: Type.String(),
	}),
});

export const listedSchema = ok({ data: Type.Array(sessionSchema) });
export const readSchema = ok({ data: sessionSchema });
export const stoppedSchema = ok({});

const poolIdentity = { subscription_id: Type.Integer(), plan_id: Type.String(), plan_name: Type.String() };

export const usageSchema = ok({
	activeSessions: count,
	sessionsLast30d: count,
	totalMinutesLast30d: Type.Number({ minimum: 0 }),
	plan: Type.Object({
		name: nullable(Type.String()),
		runningSessionLimit: count,
		featureProgrammaticAccess: Type.Boolean(),
	}),
	pools: Type.Array(
		Type.Object({ ...poolIdentity, running_session_limit: count, running_sessions_used: count }),
	),
});

const counters = {
	running_session_limit: count,
	running_sessions_used: count,
	running_sessions_remaining: count,
	cycle_start: nullable(timestamp),
	cycle_session_limit: nullable(count),
	cycle_sessions_used: count,
	cycle_sessions_remaining: nullable(count),
	residential_cycle_mb_limit: nullable(Type.Number({ minimum: 0 })),
	residential_bytes_used_cycle: count,
};

export const quotaSchema = ok({
	has_plan: Type.Boolean(),
	...counters,
	pools: Type.Array(Type.Object({ ...poolIdentity, ...counters })),
});

export const catalogSchema = ok({
	images: Type.Array(
		Type.Object({
			id: Type.String(),
			name: Type.String(),
			picture: Type.String(),
			enabled: Type.Boolean(),
			requires_feature_restricted_images: Type.Boolean(),
			supports_analysis: Type.Boolean(),
			supports_programmatic: Type.Boolean(),
		}),
	),
	vpnLocations: Type.Array(
		Type.Object({
			code: Type.String(),
			name: Type.String(),
			default: Type.String(),
			cities: Type.Array(Type.Object({ code: Type.String(), location: Type.String() })),
		}),
	),
	residential: Type.Object({ configured: Type.Boolean(), countries: nullable(Type.Array(Type.String())) }),
});

/** Any status but `ok` (spec 7). */
export const refusedSchema = Type.Object({
	status: Type.Union(["denied", "upgrade", "error"].map((status) => Type.Literal(status))),
	code: Type.Optional(
		Type.Union(
			[
				"invalid_arguments",
				"image_not_supported",
				"image_restricted",
				"quota_exceeded",
				"rate_limited",
				"internal_error",
			].map((code) => Type.Literal(code)),
		),
	),
	message: Type.String({ minLength: 1, description: "One sentence, in the language of Accept-Language." }),
	allowedImages: Type.Optional(
		Type.Array(Type.String(), {
			description: "With image_not_supported and image_restricted: the images that can be used.",
		}),
	),
	retryAfterMs: Type.Optional(
		Type.Integer({ minimum: 0, description: "With rate_limited: how long to wait before the next start." }),
	),
	loggedIn: Type.Optional(
		Type.Literal(false, { description: "The app key is missing, unknown, revoked or expired." }),
	),
	verified: Type.Optional(
		Type.Literal(false, { description: "The e-mail address of the account is not confirmed." }),
	),
});
