/** Passwords are kept as argon2id hashes. No password is ever part of a message. */
import { customAlphabet } from "nanoid";
import { OperatorError } from "../base/errors.ts";

const SHORTEST = 6;
const LONGEST = 1_024;

/** Without characters that are mistaken for each other: a generated password is read off a screen. */
const generate = customAlphabet("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 20);

/** A new password of 20 letters and digits, 116 random bits. */
export function newPassword(): string {
	return generate();
}

export async function hashPassword(password: string): Promise<string> {
	if (password.length < SHORTEST || password.length > LONGEST) {
		throw new OperatorError(`a password takes ${SHORTEST} to ${LONGEST} characters`);
	}
	return await Bun.password.hash(password, { algorithm: "argon2id" });
}

let hashOfNobody: Promise<string> | undefined;

/** Whether the password has this hash. Without a hash it takes as long to say no, so that the time tells nothing. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
	hashOfNobody ??= hashPassword(newPassword());
	const isMatch = await Bun.password.verify(password.slice(0, LONGEST), hash ?? (await hashOfNobody));
	return isMatch && hash !== undefined && password.length <= LONGEST;
}
