import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeExit, readShimExit, readSmallFile } from "../../../src/browser/browser-exit.ts";

let folder: string;
const exitFile = () => join(folder, "exit.json");
const crash = { code: null, signal: "SIGSEGV", output: "boom" };

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "barrel-exit-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("readSmallFile", () => {
	test("reads a file", () => {
		writeFileSync(exitFile(), "täxt");
		expect(readSmallFile(exitFile())).toBe("täxt");
	});

	test("reads the last 16 KB of a larger one", () => {
		writeFileSync(exitFile(), `${"a".repeat(100_000)}${"b".repeat(16 * 1024)}`);
		expect(readSmallFile(exitFile())).toBe("b".repeat(16 * 1024));
	});

	test("follows no link, wherever it leads", () => {
		writeFileSync(join(folder, "secret"), "secret");
		for (const target of [join(folder, "secret"), "/etc/passwd", join(folder, "missing")]) {
			symlinkSync(target, exitFile());
			expect(readSmallFile(exitFile())).toBeUndefined();
			rmSync(exitFile());
		}
	});

	test("neither reads nor waits for what is no file", () => {
		execFileSync("/usr/bin/mkfifo", [join(folder, "fifo")]);
		mkdirSync(join(folder, "folder"));
		for (const name of ["fifo", "folder", "missing"])
			expect(readSmallFile(join(folder, name))).toBeUndefined();
		expect(readSmallFile("/dev/zero")).toBeUndefined();
	});
});

describe("readShimExit", () => {
	test("answers what the shim has left", () => {
		writeFileSync(exitFile(), JSON.stringify(crash));
		expect(readShimExit(folder)).toEqual(crash);
	});

	test("answers nothing when the shim did not get so far", () => {
		expect(readShimExit(folder)).toBeUndefined();
	});

	test.each([
		["no JSON", "{"],
		["nothing", ""],
		["another value", "null"],
		["a missing field", '{"code":0,"signal":null}'],
		["a code that is no number", '{"code":"0","signal":null,"output":""}'],
		["a signal that is too long", JSON.stringify({ ...crash, signal: "S".repeat(17) })],
		["an output that is too long", JSON.stringify({ ...crash, output: "x".repeat(4_001) })],
		["more than 16 KB", `${" ".repeat(20_000)}${JSON.stringify({ ...crash, output: "x".repeat(17_000) })}`],
	])("answers nothing for %s", (_, content) => {
		writeFileSync(exitFile(), content);
		expect(readShimExit(folder)).toBeUndefined();
	});

	test("follows no link", () => {
		const real = join(folder, "real.json");
		writeFileSync(real, JSON.stringify(crash));
		symlinkSync(real, exitFile());
		expect(readShimExit(folder)).toBeUndefined();
	});
});

describe("describeExit", () => {
	test.each([
		[{ code: 0, signal: null, output: "anything" }, "clean", "the browser was closed"],
		[{ code: 1, signal: null, output: "" }, "failed", "the browser ended by exit code 1"],
		[{ code: null, signal: "SIGKILL", output: " \n" }, "failed", "the browser ended by signal SIGKILL"],
		[
			{ code: null, signal: "SIGSEGV", output: " boom\n" },
			"failed",
			"the browser ended by signal SIGSEGV: boom",
		],
		[{ code: null, signal: null, output: "" }, "failed", "the browser ended by exit code null"],
	])("%j", (exit, kind, detail) => {
		expect(describeExit(exit)).toEqual({ kind, detail });
	});

	test("keeps the last 600 characters of the output", () => {
		const { detail } = describeExit({
			code: 1,
			signal: null,
			output: `${"a".repeat(600)}${"b".repeat(600)}`,
		});
		expect(detail).toBe(`the browser ended by exit code 1: ${"b".repeat(600)}`);
	});
});
