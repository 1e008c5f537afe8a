import { expect, test } from "vitest";
import { LeaseBook } from "../../../src/sessions/lease.ts";

test("counts the clients of each session", () => {
	const book = new LeaseBook(() => {});
	const first = book.take("a");
	const second = book.take("a");
	const other = book.take("b");
	expect([book.count("a"), book.count("b"), book.count("c")]).toEqual([2, 1, 0]);
	first[Symbol.dispose]();
	other[Symbol.dispose]();
	expect([book.count("a"), book.count("b")]).toEqual([1, 0]);
	expect(book.held()).toEqual(["a"]);
	second[Symbol.dispose]();
	expect(book.held()).toEqual([]);
});

test("a lease that is given back twice counts once", () => {
	const book = new LeaseBook(() => {});
	const lease = book.take("a");
	book.take("a");
	lease[Symbol.dispose]();
	lease[Symbol.dispose]();
	expect(book.count("a")).toBe(1);
});

test("tells of every lease that is taken or given back", () => {
	const told: string[] = [];
	const book = new LeaseBook((id) => told.push(`${id} ${book.count(id)}`));
	const lease = book.take("a");
	lease[Symbol.dispose]();
	lease[Symbol.dispose]();
	expect(told).toEqual(["a 1", "a 0"]);
});
