import { expect, test } from "vitest";
import { proofText } from "../../../src/shim/protocol.ts";

test("neither side of the control connection can echo the other's proof, nor use it for another session", () => {
	const proofs = [
		proofText("daemon", "a"),
		proofText("shim", "a"),
		proofText("daemon", "b"),
		proofText("shim", "b"),
	];
	expect(new Set(proofs).size).toBe(4);
});
