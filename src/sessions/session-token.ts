import { hmac, isSameSecret } from "../base/secret.ts";

/**
 * The token in a `connectUrl` (spec 5.9). It is derived from the session's id, so that list and read can show the same
 * address again without any token being kept.
 */
export class SessionTokens {
	readonly #secret: string;

	constructor(secret: string) {
		this.#secret = secret;
	}

	of(sessionId: string): string {
		return hmac(this.#secret, `cdp:${sessionId}`);
	}

	/** Takes the same time for every wrong token. */
	matches(sessionId: string, token: string): boolean {
		return isSameSecret(token, this.of(sessionId));
	}
}
