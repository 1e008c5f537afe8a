import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { OperatorError } from "../../../src/base/errors.ts";
import { integer, nullable, oneOf, text } from "../../../src/store/columns.ts";
import { openStore } from "../../../src/store/database.ts";
import { connect } from "../../../src/store/driver.ts";
import { getOrCreateSetting } from "../../../src/store/settings.ts";
import { StorageFullError } from "../../../src/store/store-error.ts";
import { TempDataDir } from "./data-dir.ts";

const pragma = (name: string) => `SELECT ${name} AS value FROM pragma_${name}`;

describe("opening", () => {
	test("makes the folder 0700 and its files 0600", () => {
		using dir = new TempDataDir();
		using _store = openStore({ dataDir: dir.path });
		expect(statSync(dir.path).mode & 0o777).toBe(0o700);
		for (const suffix of ["", "-wal", "-shm"]) {
			expect(statSync(dir.databasePath + suffix).mode & 0o777).toBe(0o600);
		}
	});

	test("keeps a write-ahead log that is synced at each commit, and checks foreign keys", () => {
		using dir = new TempDataDir();
		using store = openStore({ dataDir: dir.path });
		expect(store.query({ value: text }, pragma("journal_mode")).get().value).toBe("wal");
		expect(store.query({ value: integer }, pragma("synchronous")).get().value).toBe(2);
		expect(store.query({ value: integer }, pragma("foreign_keys")).get().value).toBe(1);
		expect(store.query({ timeout: integer }, "PRAGMA busy_timeout").get().timeout).toBe(5_000);
	});

	test("keeps what an earlier opening wrote", () => {
		using dir = new TempDataDir();
		openStore({ dataDir: dir.path })[Symbol.dispose]();
		{
			using store = openStore({ dataDir: dir.path });
			getOrCreateSetting(store, "secret", () => "first");
		}
		using store = openStore({ dataDir: dir.path });
		expect(getOrCreateSetting(store, "secret", () => "second")).toBe("first");
	});

	test("opens read-only what exists and refuses writes there", () => {
		using dir = new TempDataDir();
		expect(() => openStore({ dataDir: dir.path, readOnly: true })).toThrow("there is no database at");
		using _store = openStore({ dataDir: dir.path });
		using reader = openStore({ dataDir: dir.path, readOnly: true });
		expect(() => getOrCreateSetting(reader, "a", () => "b")).toThrow(OperatorError);
	});
});

describe("refusing", () => {
	test("a file that is no database, untouched", () => {
		using dir = new TempDataDir();
		mkdirSync(dir.path);
		writeFileSync(dir.databasePath, "plain text ".repeat(200));
		expect(() => openStore({ dataDir: dir.path })).toThrow(`${dir.databasePath} is not a database`);
		expect(readFileSync(dir.databasePath, "utf8")).toBe("plain text ".repeat(200));
	});

	test("the database of another program", () => {
		using dir = new TempDataDir();
		mkdirSync(dir.path);
		{
			using other = connect(dir.databasePath, { busyTimeoutMs: 0 });
			other.exec("CREATE TABLE notes (text)");
		}
		expect(() => openStore({ dataDir: dir.path })).toThrow("is the database of another program");
	});

	test("a database newer than this binary", () => {
		using dir = new TempDataDir();
		openStore({ dataDir: dir.path })[Symbol.dispose]();
		{
			using later = connect(dir.databasePath, { busyTimeoutMs: 0 });
			later.pragma("user_version = 99");
		}
		expect(() => openStore({ dataDir: dir.path })).toThrow(
			/belongs to a newer barrel \(schema 99, this one knows \d+\)/,
		);
	});

	test("a data_dir that is a file", () => {
		using dir = new TempDataDir();
		writeFileSync(dir.path, "");
		expect(() => openStore({ dataDir: dir.path })).toThrow(OperatorError);
	});

	test("a database file that is a folder", () => {
		using dir = new TempDataDir();
		mkdirSync(dir.databasePath, { recursive: true });
		expect(() => openStore({ dataDir: dir.path })).toThrow(OperatorError);
	});
});

describe("using", () => {
	test("rolls a transaction back when its work throws", () => {
		using dir = new TempDataDir();
		using store = openStore({ dataDir: dir.path });
		const fail = () =>
			store.transaction(() => {
				getOrCreateSetting(store, "a", () => "lost");
				throw new Error("no");
			});
		expect(fail).toThrow("no");
		expect(getOrCreateSetting(store, "a", () => "kept")).toBe("kept");
	});

	test("says so when the disk is full, and goes on once there is room", () => {
		using dir = new TempDataDir();
		using store = openStore({ dataDir: dir.path });
		const limit = (pages: number) =>
			store.query({ max_page_count: integer }, `PRAGMA max_page_count = ${pages}`).get();
		const fill = () => getOrCreateSetting(store, "big", () => "x".repeat(1_000_000));
		limit(40);
		expect(fill).toThrow(StorageFullError);
		expect(fill).toThrow(`the disk that holds ${dir.databasePath} is full`);
		limit(10_000);
		expect(fill()).toHaveLength(1_000_000);
	});

	test("faults on a row that does not have the shape", () => {
		using dir = new TempDataDir();
		using store = openStore({ dataDir: dir.path });
		const row = (shape: Parameters<typeof store.query>[0], sql: string) => () =>
			store.query(shape, sql).find();
		expect(row({ a: integer }, "SELECT 'x' AS a")).toThrow("column a is not integer");
		expect(row({ a: integer }, "SELECT 1 AS b")).toThrow("column a is not integer");
		expect(row({ a: text }, "SELECT NULL AS a")).toThrow("column a is not text");
		expect(row({ a: oneOf("x", "y") }, "SELECT 'z' AS a")).toThrow("column a is not x | y");
		expect(row({ a: nullable(text) }, "SELECT NULL AS a")()).toEqual({ a: null });
		expect(() => store.query({ a: text }, "SELECT 'x' AS a WHERE 0").get()).toThrow("no row for");
	});

	test("reads 200 session rows in less than 2 ms", () => {
		using dir = new TempDataDir();
		using store = openStore({ dataDir: dir.path });
		store.command("INSERT INTO accounts VALUES (1, 'a@b.c', '', '', '', 1, 1)").run();
		const insert = store.command(
			`INSERT INTO sessions (id, account_id, started_by_kind, name, image, screen_width, screen_height, status, created_at, last_seen_at, expires_at)
			 VALUES (@id, 1, 'agent', 'name', 'chrome', 1366, 768, 'running', 1, 1, 1)`,
		);
		store.transaction(() => {
			for (let index = 0; index < 200; index++) insert.run({ id: `session-${index}` });
		});
		const list = store.query(
			{
				id: text,
				status: oneOf("starting", "running", "ended"),
				url: nullable(text),
				created_at: integer,
				screen_width: integer,
				ended_at: nullable(integer),
			},
			"SELECT * FROM sessions ORDER BY created_at DESC LIMIT 200",
		);
		const times = Array.from({ length: 20 }, () => {
			const from = performance.now();
			expect(list.all().length).toBe(200);
			return performance.now() - from;
		});
		expect(Math.min(...times)).toBeLessThan(2);
	});
});
