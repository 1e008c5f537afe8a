/** What commands print. Writes are synchronous, so that nothing is lost when the process ends right after. */
import { writeSync } from "node:fs";
import { codeOf } from "../base/errors.ts";

const STDOUT = 1;
const STDERR = 2;
const RETRY_MS = 5;

export function writeOut(text: string): void {
	write(STDOUT, text);
}

export function writeErr(text: string): void {
	write(STDERR, text);
}

/** With `--json` the value, on one line; otherwise the lines for people. */
export function print({ json }: { json?: boolean }, value: unknown, lines: readonly string[]): void {
	writeOut(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(""));
}

/** Columns as wide as their longest cell, two blanks apart. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
	const widths = head.map((cell, column) =>
		Math.max(cell.length, ...rows.map((row) => (row[column] ?? "").length)),
	);
	return [head, ...rows].map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd(),
	);
}

function write(fd: number, text: string): void {
	let rest = Buffer.from(text);
	while (rest.length > 0) {
		try {
			rest = rest.subarray(writeSync(fd, rest));
		} catch (thrown) {
			// The reader has seen enough, as `head` does.
			if (codeOf(thrown) === "EPIPE") return;
			if (codeOf(thrown) !== "EAGAIN") throw thrown;
			Bun.sleepSync(RETRY_MS);
		}
	}
}
