import { OperatorError } from "../base/errors.ts";

const LAST_MS_OF_DAY = 24 * 60 * 60 * 1_000 - 1;

/** The last millisecond (UTC) of a day written YYYY-MM-DD; an OperatorError when there is no such day or it is over. */
export function parseEndOfDay(text: string, now: number): number {
	const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
	// An engine may take 30 February for 2 March.
	if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(text)) {
		throw new OperatorError(`${JSON.stringify(text)} is not a date of the form YYYY-MM-DD`);
	}
	const end = start + LAST_MS_OF_DAY;
	if (end < now) throw new OperatorError(`${text} is in the past`);
	return end;
}
