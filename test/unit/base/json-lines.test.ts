import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readJsonLines, writeJsonLine } from "../../../src/base/json-lines.ts";
import { waitFor } from "../../support/wait-for.ts";

const LONGEST_LINE = 64 * 1024;

let folder: string;
let server: net.Server;
let reader: net.Socket;
let writer: net.Socket;
let messages: unknown[];
let onMessage: (message: unknown) => void;

beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), "barrel-lines-"));
	const path = join(folder, "s");
	messages = [];
	onMessage = (message) => messages.push(message);
	server = net.createServer((socket) => {
		reader = socket;
		readJsonLines(socket, (message) => onMessage(message));
	});
	server.listen({ path });
	await once(server, "listening");
	const connected = once(server, "connection");
	writer = net.connect({ path });
	writer.on("error", () => {});
	await connected;
});

afterEach(async () => {
	writer.destroy();
	reader.destroy();
	await new Promise((resolve) => server.close(resolve));
	rmSync(folder, { recursive: true, force: true });
});

function write(bytes: string | Buffer): Promise<void> {
	return new Promise((resolve) => writer.write(bytes, () => resolve()));
}

const isCutOff = () => waitFor(() => reader.destroyed, "the connection has ended");

describe("readJsonLines", () => {
	test("hands over each line that arrives, in order", async () => {
		await write('{"a":1}\n[2]\n"three"\nnull\n');
		await waitFor(() => messages.length === 4, "all messages arrived");
		expect(messages).toEqual([{ a: 1 }, [2], "three", null]);
	});

	test("puts a line together that was cut anywhere, also inside a character", async () => {
		const bytes = Buffer.from('{"text":"ä🙂"}\n{"n":2}\n');
		for (const byte of bytes) {
			await write(Buffer.from([byte]));
			await new Promise((resolve) => setImmediate(resolve));
		}
		await waitFor(() => messages.length === 2, "both messages arrived");
		expect(messages).toEqual([{ text: "ä🙂" }, { n: 2 }]);
	});

	test("keeps a line without an end to itself", async () => {
		await write('{"a":1}\n{"b":');
		await waitFor(() => messages.length === 1, "the first message arrived");
		writer.end();
		await isCutOff();
		expect(messages).toEqual([{ a: 1 }]);
	});

	test.each(["garbage", "", "{", '{"a":1}}', "GET / HTTP/1.1\r"])(
		"ends the connection at the line %j",
		async (line) => {
			await write(`${line}\n{"never":"seen"}\n`);
			await isCutOff();
			expect(messages).toEqual([]);
		},
	);

	test("takes a line of 60 KB", async () => {
		const text = "x".repeat(60 * 1024);
		await write(`${JSON.stringify(text)}\n`);
		await waitFor(() => messages.length === 1, "the message arrived");
		expect(messages).toEqual([text]);
	});

	test("ends the connection when a line that is too long has no end yet", async () => {
		await write("1".repeat(LONGEST_LINE + 1));
		await isCutOff();
		expect(messages).toEqual([]);
	});

	test("ends the connection at a whole line that is too long, however it arrives", async () => {
		reader.emit("data", `${JSON.stringify("x".repeat(2 * LONGEST_LINE))}\n{"never":"seen"}\n`);
		await isCutOff();
		expect(messages).toEqual([]);
	});

	test("hands over nothing more once its user has ended the connection", async () => {
		onMessage = (message) => {
			messages.push(message);
			reader.destroy();
		};
		await write('{"a":1}\n{"b":2}\n');
		await isCutOff();
		expect(messages).toEqual([{ a: 1 }]);
	});
});

describe("writeJsonLine", () => {
	test("writes one line per message", async () => {
		writeJsonLine(writer, { text: "two\nlines" });
		writeJsonLine(writer, { n: 2 });
		await waitFor(() => messages.length === 2, "both messages arrived");
		expect(messages).toEqual([{ text: "two\nlines" }, { n: 2 }]);
	});

	test("drops a message for a connection that has ended", () => {
		writer.destroy();
		expect(() => writeJsonLine(writer, { n: 1 })).not.toThrow();
	});
});
