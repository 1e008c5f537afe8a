import { OperatorError } from "../base/errors.ts";

/** Somebody who owns keys and sessions. The password hash stays in the store. */
export interface Account {
	readonly id: number;
	readonly email: string;
	readonly firstname: string;
	readonly lastname: string;
	/** Whether the e-mail address was confirmed (spec 5.7). */
	readonly verified: boolean;
	readonly createdAt: number;
}

const LONGEST_EMAIL = 254;
const LONGEST_NAME = 64;
/** The `u` makes it count characters, not UTF-16 halves. */
const nameForm = new RegExp(`^\\P{Cc}{0,${LONGEST_NAME}}$`, "u");

/** Printable ASCII around one @: the database compares letters without case only in ASCII. */
const emailForm = /^[!-?A-~]+@[!-?A-~]+$/;

/** The e-mail address without surrounding blanks; an OperatorError when it is none. */
export function parseEmail(text: string): string {
	const email = text.trim();
	if (email.length > LONGEST_EMAIL || !emailForm.test(email)) {
		throw new OperatorError(`${JSON.stringify(email)} is not an e-mail address`);
	}
	return email;
}

/** A first or last name without surrounding blanks; it may be empty. */
export function parsePersonName(text: string, option: string): string {
	const name = text.trim();
	if (!nameForm.test(name)) {
		throw new OperatorError(`${option} takes at most ${LONGEST_NAME} characters on one line`);
	}
	return name;
}

/** The name of an app key, 1 to 64 characters, without surrounding blanks. */
export function parseKeyName(text: string): string {
	const name = text.trim();
	if (name === "" || !nameForm.test(name)) {
		throw new OperatorError(`the name of a key takes 1 to ${LONGEST_NAME} characters on one line`);
	}
	return name;
}
