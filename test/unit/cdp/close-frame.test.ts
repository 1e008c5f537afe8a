import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { describe, expect, test } from "vitest";
import { closeFrame, FrameTracker } from "../../../src/cdp/close-frame.ts";

const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const CONTINUATION = 0x0;

type FrameOptions = { opcode?: number; isFinal?: boolean; isMasked?: boolean };

/** A frame of `length` bytes 0x88 0x00 0x88 …: read as a header, its payload is a close frame. */
function frame(
	length: number,
	{ opcode = BINARY, isFinal = true, isMasked = false }: FrameOptions = {},
): Buffer {
	const first = (isFinal ? 0x80 : 0) | opcode;
	const mask = isMasked ? 0x80 : 0;
	const header =
		length < 126
			? Buffer.from([first, mask | length])
			: length < 65_536
				? Buffer.from([first, mask | 126, length >> 8, length & 0xff])
				: Buffer.concat([Buffer.from([first, mask | 127, 0, 0, 0, 0]), uint32(length)]);
	const payload = Buffer.alloc(length, Buffer.from([0x88, 0x00]));
	return Buffer.concat([header, isMasked ? Buffer.from([1, 2, 3, 4]) : Buffer.alloc(0), payload]);
}

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

function tracked(...chunks: Buffer[]): { isBetweenFrames: boolean; hasSeenClose: boolean } {
	const tracker = new FrameTracker();
	for (const chunk of chunks) tracker.push(chunk);
	return { isBetweenFrames: tracker.isBetweenFrames, hasSeenClose: tracker.hasSeenClose };
}

/** What a WebSocket client makes of these bytes. */
async function closeAsRead(bytes: Buffer): Promise<{ code: number; reason: string }> {
	const server = http.createServer();
	server.on("upgrade", (request, socket) => {
		const accept = createHash("sha1")
			.update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
			.digest("base64");
		const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
		socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
		socket.end(bytes);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	const client = new WebSocket(`ws://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
	const { code, reason } = await new Promise<CloseEvent>((resolve) =>
		client.addEventListener("close", resolve),
	);
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
	return { code, reason };
}

const between = { isBetweenFrames: true, hasSeenClose: false };
const within = { isBetweenFrames: false, hasSeenClose: false };

describe("closeFrame", () => {
	test("is an unmasked final close frame with code and reason", () => {
		expect(closeFrame(4001, "stopped")).toEqual(
			Buffer.concat([Buffer.from([0x88, 9, 0x0f, 0xa1]), Buffer.from("stopped")]),
		);
	});

	test.each([
		[4001, "stopped"],
		[4006, "lost"],
		[1012, "restart"],
		[1000, ""],
		[4005, "x".repeat(123)],
	])("is read by a WebSocket client as %d %j", async (code, reason) => {
		expect(await closeAsRead(closeFrame(code, reason))).toEqual({ code, reason });
	});

	test("is seen by our own tracker", () => {
		expect(tracked(closeFrame(4002, "timeout"))).toEqual({ isBetweenFrames: true, hasSeenClose: true });
	});
});

describe("FrameTracker", () => {
	test("begins between frames", () => {
		expect(tracked()).toEqual(between);
		expect(tracked(Buffer.alloc(0))).toEqual(between);
	});

	const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];

	describe.each([false, true])("masked: %s", (isMasked) => {
		test.each(lengths)("follows a frame of %d bytes to its last byte and not further", (length) => {
			const bytes = frame(length, { isMasked });
			expect(tracked(bytes)).toEqual(between);
			expect(tracked(bytes.subarray(0, -1))).toEqual(within);
			expect(tracked(bytes, Buffer.from([0x82]))).toEqual(within);
			expect(tracked(bytes, bytes, frame(0))).toEqual(between);
		});

		test.each([0, 1, 125, 126, 300])("follows a frame of %d bytes that is cut at any one byte", (length) => {
			const bytes = Buffer.concat([frame(length, { isMasked }), frame(3)]);
			for (let cut = 1; cut < bytes.length; cut++)
				expect(tracked(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(between);
		});

		test.each([65_535, 65_536])(
			"follows a frame of %d bytes that is cut around its header and its end",
			(length) => {
				const bytes = frame(length, { isMasked });
				const cuts = [...Array(20).keys(), bytes.length - 2, bytes.length - 1];
				for (const cut of cuts) expect(tracked(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(between);
			},
		);
	});

	test("knows at every single byte whether it stands between two frames", () => {
		const frames = [
			frame(0),
			frame(125),
			frame(126),
			frame(0, { isMasked: true }),
			frame(7, { isMasked: true }),
		];
		const ends = new Set<number>();
		let length = 0;
		for (const { byteLength } of frames) ends.add((length += byteLength));
		const tracker = new FrameTracker();
		for (const [index, byte] of Buffer.concat(frames).entries()) {
			tracker.push(Buffer.from([byte]));
			expect(tracker.isBetweenFrames, `after byte ${index}`).toBe(ends.has(index + 1));
		}
	});

	test("stands between the fragments of a message, where a control frame may go", () => {
		expect(tracked(frame(5, { opcode: TEXT, isFinal: false }))).toEqual(between);
		expect(tracked(frame(5, { opcode: TEXT, isFinal: false }), frame(2, { opcode: CONTINUATION }))).toEqual(
			between,
		);
	});

	test("sees a close frame, cut anywhere, and none in payloads or pings", () => {
		const bytes = Buffer.concat([frame(126), frame(4, { opcode: PING }), frame(2, { opcode: CLOSE })]);
		expect(tracked(frame(126), frame(4, { opcode: PING }))).toEqual(between);
		for (let cut = 0; cut <= bytes.length; cut++)
			expect(tracked(bytes.subarray(0, cut), bytes.subarray(cut)).hasSeenClose).toBe(true);
	});

	test("sees a close frame without code and one that is masked", () => {
		expect(tracked(frame(0, { opcode: CLOSE })).hasSeenClose).toBe(true);
		expect(tracked(frame(2, { opcode: CLOSE, isMasked: true }))).toEqual({
			isBetweenFrames: true,
			hasSeenClose: true,
		});
	});

	test("follows a frame beyond 4 GB", () => {
		const header = Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 2]);
		const tracker = new FrameTracker();
		tracker.push(header);
		const chunk = Buffer.alloc(64 * 1024 * 1024);
		for (let pushed = 0; pushed < 2 ** 32; pushed += chunk.length) tracker.push(chunk);
		expect(tracker.isBetweenFrames).toBe(false);
		tracker.push(Buffer.alloc(2));
		expect(tracker.isBetweenFrames).toBe(true);
	});
});
