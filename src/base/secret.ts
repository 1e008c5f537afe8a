import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 in hex; how app keys are kept. They carry 256 random bits, so a slow hash would add nothing. */
export function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** HMAC-SHA-256 in base64url (43 characters). */
export function hmac(secret: string, text: string): string {
	return createHmac("sha256", secret).update(text).digest("base64url");
}

/** Compares in a time that does not depend on where the two differ, nor on their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
	return timingSafeEqual(
		createHash("sha256").update(given).digest(),
		createHash("sha256").update(expected).digest(),
	);
}

/** A new random secret of 256 bits in base64url. */
export function newSecret(): string {
	return randomBytes(32).toString("base64url");
}
