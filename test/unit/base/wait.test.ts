import { describe, expect, test } from "vitest";
import { aborted, orAborted, sleep } from "../../../src/base/wait.ts";

const reason = new Error("called off");

describe("sleep", () => {
	test("ends by itself", async () => {
		await expect(sleep(1, new AbortController().signal)).resolves.toBeUndefined();
	});

	test("rejects with the signal's reason, also when it aborted before", async () => {
		const controller = new AbortController();
		const pending = sleep(60_000, controller.signal);
		controller.abort(reason);
		await expect(pending).rejects.toBe(reason);
		await expect(sleep(60_000, controller.signal)).rejects.toBe(reason);
	});
});

test("aborted resolves for a signal that aborts and for one that has", async () => {
	const controller = new AbortController();
	const pending = aborted(controller.signal);
	controller.abort(reason);
	await expect(pending).resolves.toBeUndefined();
	await expect(aborted(controller.signal)).resolves.toBeUndefined();
});

describe("orAborted", () => {
	test("hands on what the work answers or throws", async () => {
		const { signal } = new AbortController();
		await expect(orAborted(Promise.resolve(7), signal)).resolves.toBe(7);
		await expect(orAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
	});

	test("does not wait for the work once the signal aborts, and a later failure of the work harms nobody", async () => {
		const controller = new AbortController();
		const work = Promise.withResolvers<never>();
		const pending = orAborted(work.promise, controller.signal);
		controller.abort(reason);
		await expect(pending).rejects.toBe(reason);
		work.reject(new Error("too late"));
		await expect(orAborted(Promise.reject(new Error("late")), controller.signal)).rejects.toBe(reason);
	});
});
