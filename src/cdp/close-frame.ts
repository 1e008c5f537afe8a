/** WebSocket frames (RFC 6455) as far as a relay needs them that does not look into messages. */

const CLOSE_OPCODE = 0x8;
const PING_OPCODE = 0x9;
const FINAL = 0x80;

/** A ping as a server sends it. */
export const pingFrame = Buffer.from([FINAL | PING_OPCODE, 0]);

/** A close frame as a server sends it. The reason is at most 123 bytes long. */
export function closeFrame(code: number, reason: string): Buffer {
	const text = Buffer.from(reason);
	const frame = Buffer.alloc(4 + text.length);
	frame.writeUInt8(FINAL | CLOSE_OPCODE, 0);
	frame.writeUInt8(2 + text.length, 1);
	frame.writeUInt16BE(code, 2);
	text.copy(frame, 4);
	return frame;
}

/**
 * Follows where one frame ends and the next begins in a stream of bytes, reading only the frames' headers: a close frame of
 * our own may be put between two frames, never into one.
 */
export class FrameTracker {
	#header = Buffer.alloc(0);
	#payloadLeft = 0;
	#hasSeenClose = false;

	/** Whether the bytes so far end with a whole frame. */
	get isBetweenFrames(): boolean {
		return this.#payloadLeft === 0 && this.#header.length === 0;
	}

	/** Whether a close frame went by: the stream ends by the peer's own wish. */
	get hasSeenClose(): boolean {
		return this.#hasSeenClose;
	}

	push(chunk: Buffer): void {
		let offset = 0;
		while (offset < chunk.length) {
			if (this.#payloadLeft > 0) {
				const taken = Math.min(this.#payloadLeft, chunk.length - offset);
				this.#payloadLeft -= taken;
				offset += taken;
				continue;
			}
			const needed = this.#headerLength() - this.#header.length;
			const part = chunk.subarray(offset, offset + needed);
			this.#header = Buffer.concat([this.#header, part]);
			offset += part.length;
			if (this.#header.length === this.#headerLength()) this.#startPayload();
		}
	}

	/** Two bytes tell how many more there are. */
	#headerLength(): number {
		const second = this.#header[1];
		if (second === undefined) return 2;
		const length = second & 0x7f;
		const extended = length === 127 ? 8 : length === 126 ? 2 : 0;
		return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
	}

	#startPayload(): void {
		const header = this.#header;
		const length = header.readUInt8(1) & 0x7f;
		if ((header.readUInt8(0) & 0x0f) === CLOSE_OPCODE) this.#hasSeenClose = true;
		if (length === 127) this.#payloadLeft = Number(header.readBigUInt64BE(2));
		else this.#payloadLeft = length === 126 ? header.readUInt16BE(2) : length;
		this.#header = Buffer.alloc(0);
	}
}
