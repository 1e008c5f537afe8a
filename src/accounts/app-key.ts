/** What the service keeps of an app key: never the key itself. Times are milliseconds since the epoch. */
export interface AppKey {
	readonly id: number;
	readonly accountId: number;
	readonly name: string;
	/** How the key begins, to tell one from another. */
	readonly prefix: string;
	readonly createdAt: number;
	readonly lastUsedAt: number | null;
	/** The last millisecond of the day that was chosen at creation. */
	readonly expiresAt: number | null;
	readonly revokedAt: number | null;
}

const UNUSED_LIFE_MS = 365 * 24 * 60 * 60 * 1_000;

/** Whether the key opens anything: not revoked, not past its date, used within a year (spec 5.4). */
export function isUsable(key: AppKey, now: number): boolean {
	if (key.revokedAt !== null) return false;
	if (key.expiresAt !== null && now > key.expiresAt) return false;
	return now <= (key.lastUsedAt ?? key.createdAt) + UNUSED_LIFE_MS;
}
