import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { integer } from "../../../src/store/columns.ts";
import { type Connection, connect } from "../../../src/store/driver.ts";
import { migrate, schemaVersion } from "../../../src/store/migrate.ts";
import { TempDataDir } from "./data-dir.ts";

const first = "CREATE TABLE a (x); INSERT INTO a VALUES (1)";
const second = "CREATE TABLE b (y); INSERT INTO b SELECT x + 1 FROM a";

function open(dir: TempDataDir): Connection {
	mkdirSync(dir.path, { recursive: true });
	return connect(dir.databasePath, { busyTimeoutMs: 0 });
}

test("runs the migrations that are missing, once", () => {
	using dir = new TempDataDir();
	using connection = open(dir);
	migrate(connection, [first]);
	migrate(connection, [first, second]);
	migrate(connection, [first, second]);
	expect(schemaVersion(connection)).toBe(2);
	expect(connection.query({ y: integer }, "SELECT y FROM b").all()).toEqual([{ y: 2 }]);
});

test("leaves the file as it was when a migration fails", () => {
	using dir = new TempDataDir();
	{
		using connection = open(dir);
		migrate(connection, [first]);
	}
	const before = readFileSync(dir.databasePath);
	{
		using connection = open(dir);
		expect(() => migrate(connection, [first, `${second}; INSERT INTO nowhere VALUES (1)`])).toThrow(
			"nowhere",
		);
		expect(schemaVersion(connection)).toBe(1);
	}
	expect(readFileSync(dir.databasePath).equals(before)).toBe(true);
});
