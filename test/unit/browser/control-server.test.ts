import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hmac } from "../../../src/base/secret.ts";
import { ControlServer } from "../../../src/browser/control-server.ts";
import { PROTOCOL_VERSION, proofText } from "../../../src/shim/protocol.ts";

const sessionId = "brl-v-v7-00000000000000000001";
const secret = "the secret";

let folder: string;
let server: ControlServer;
beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), "bt-control-"));
	server = new ControlServer({ socketPath: join(folder, "s"), sessionId, secret });
	await server.listen();
});
afterEach(() => {
	server[Symbol.dispose]();
	rmSync(folder, { recursive: true, force: true });
});

/** A shim that proves this secret; what it hears, once it is cut off. */
function connectShim(proven: string, onFirstMessage: () => void = () => {}): Promise<string[]> {
	const { promise, resolve } = Promise.withResolvers<string[]>();
	const socket = net.connect({ path: join(folder, "s") });
	let heard = "";
	socket.on("data", (chunk: Buffer) => {
		if (heard === "") onFirstMessage();
		heard += chunk.toString();
	});
	socket.on("close", () => resolve(heard.split("\n").filter((line) => line !== "")));
	const proof = hmac(proven, proofText("shim", sessionId));
	socket.write(`${JSON.stringify({ type: "hello", version: PROTOCOL_VERSION, proof, pid: 1 })}\n`);
	return promise;
}

test("the end of a session's place tells the shim to end its browser", async () => {
	const lines = await connectShim(secret, () => server[Symbol.dispose]());
	expect(lines).toHaveLength(2);
	expect(lines[0]).toContain('"hello"');
	expect(lines[1]).toBe('{"type":"end"}');
});

test("whoever does not know the secret is told nothing and is cut off", async () => {
	expect(await connectShim("a guess")).toEqual([]);
});
