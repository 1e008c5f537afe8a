import type { Session } from "../../../src/sessions/session.ts";

export const NOW = Date.parse("2026-03-01T12:00:00.000Z");
export const HOUR_MS = 3_600_000;

/** A running session of account 1 that started at NOW, but for what the test says. */
export function aSession(differences: Partial<Session> = {}): Session {
	return {
		id: "brl-v-v7-00000000000000000001",
		accountId: 1,
		subscriptionId: 1,
		appKeyId: null,
		startedByKind: "agent",
		name: "brave-otter-42",
		imageId: "chrome",
		url: null,
		country: null,
		exitKind: "direct",
		screen: { width: 1366, height: 768 },
		state: { status: "running" },
		createdAt: NOW,
		readyAt: NOW,
		lastSeenAt: NOW,
		expiresAt: NOW + 18 * HOUR_MS,
		stopRequestedAt: null,
		...differences,
	};
}
