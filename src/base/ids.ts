import { customAlphabet } from "nanoid";

const lowercase = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 20);
const mixed = customAlphabet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 43);

/** A new session id, form `brl-v-v7-<20 lower-case letters and digits>` (spec 2.1), 103 random bits. */
export function newSessionId(): string {
	return `brl-v-v7-${lowercase()}`;
}

const sessionIdForm = /^brl-v-v7-[0-9a-z]{20}$/;

/** Whether the text has the form of a session id; says nothing about whether such a session exists. */
export function isSessionId(text: string): boolean {
	return sessionIdForm.test(text);
}

/** A new app key, form `brl-k-v7-<43 letters and digits>` (spec 5.2), 256 random bits. */
export function newAppKey(): string {
	return `brl-k-v7-${mixed()}`;
}
