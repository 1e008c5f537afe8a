/** How a session's browser ended, from what its shim says or left behind. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { BrowserExit } from "../sessions/ports.ts";
import { sessionFiles } from "../shim/protocol.ts";

export const LAST_OUTPUT_CHARACTERS = 600;
const LARGEST_FILE = 16 * 1024;

export const shimExitSchema = Type.Object({
	code: Type.Union([Type.Integer(), Type.Null()]),
	signal: Type.Union([Type.String({ maxLength: 16 }), Type.Null()]),
	output: Type.String({ maxLength: 4_000 }),
});

export type ShimExit = Static<typeof shimExitSchema>;

/** The end of a file that the cage may have written: no link is followed, no more than 16 KB are read. */
export function readSmallFile(path: string): string | undefined {
	let file: number;
	try {
		file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return undefined;
	}
	try {
		const stat = fstatSync(file);
		if (!stat.isFile()) return undefined;
		const buffer = Buffer.alloc(Math.min(stat.size, LARGEST_FILE));
		const length = readSync(file, buffer, 0, buffer.length, Math.max(0, stat.size - buffer.length));
		return buffer.toString("utf8", 0, length);
	} finally {
		closeSync(file);
	}
}

/** What the shim wrote when its browser ended; undefined when it did not get so far. */
export function readShimExit(outDir: string): ShimExit | undefined {
	try {
		const exit: unknown = JSON.parse(readSmallFile(join(outDir, sessionFiles.exit)) ?? "");
		return Value.Check(shimExitSchema, exit) ? exit : undefined;
	} catch {
		return undefined;
	}
}

export function describeExit(exit: ShimExit): BrowserExit {
	if (exit.code === 0) return { kind: "clean", detail: "the browser was closed" };
	const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
	const output = exit.output.trim().slice(-LAST_OUTPUT_CHARACTERS);
	return { kind: "failed", detail: `the browser ended by ${how}${output === "" ? "" : `: ${output}`}` };
}
