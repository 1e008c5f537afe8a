/** A real log whose lines the test can read. */
import pino from "pino";
import type { Log } from "../../src/base/log.ts";

export interface LogLine {
	level: number;
	msg: string;
	[field: string]: unknown;
}

export interface LogLines {
	readonly log: Log;
	lines(): LogLine[];
	/** Everything that was written, as it was written. */
	text(): string;
}

export function captureLog(): LogLines {
	let written = "";
	const log = pino({ level: "debug", base: null }, { write: (line: string) => void (written += line) });
	return {
		log,
		lines: () =>
			written
				.split("\n")
				.filter((line) => line !== "")
				.map((line): LogLine => JSON.parse(line)),
		text: () => written,
	};
}
