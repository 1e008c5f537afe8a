import { Refusal } from "../../src/base/errors.ts";

/** The Refusal that `call` throws. Throws when it throws none. */
export function refusalOf(call: () => unknown): Refusal {
	try {
		call();
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
	throw new Error("nothing was refused");
}
