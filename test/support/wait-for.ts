import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 10;

/** Resolves as soon as the condition holds; rejects, naming what was waited for, when it does not within `withinMs`. */
export async function waitFor(
	condition: () => boolean | Promise<boolean>,
	what: string,
	withinMs = 15_000,
): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
		await delay(POLL_MS);
	}
}
