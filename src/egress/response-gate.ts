/**
 * Passes the answer to a plain request on, with `Connection: close` as its first header. Without it Chrome would keep the
 * connection for its next request, to whatever host, and the target of this one could answer that, too.
 */
import { messageOf } from "../base/errors.ts";
import { HeadReader } from "./http-head.ts";

/** The target's bytes are no HTTP/1 answer. */
export class BadResponse extends Error {
	override readonly name = "BadResponse";
}

const maxStatusLineBytes = 8_192;
const statusLineForm = /^HTTP\/1\.[01] ([0-9]{3})(?: [\t\x20-\x7e\x80-\xff]*)?$/;

export class ResponseGate {
	#pending = Buffer.alloc(0);
	#isOpen = false;
	readonly #isUpgrade: boolean;
	readonly #onFinal: (status: number) => void;

	/**
	 * @param onFinal called once, before the final answer passes, with its status; 101 only for the WebSocket asked for.
	 * What it throws keeps the gate closed
	 */
	constructor(isUpgrade: boolean, onFinal: (status: number) => void) {
		this.#isUpgrade = isUpgrade;
		this.#onFinal = onFinal;
	}

	/** Whether the final answer has begun to pass. */
	get isOpen(): boolean {
		return this.#isOpen;
	}

	/**
	 * What may go to the client, now that this chunk has come.
	 * @throws BadResponse
	 */
	take(chunk: Buffer): Buffer[] {
		if (this.#isOpen) return [chunk];
		this.#pending = Buffer.concat([this.#pending, chunk]);
		const out: Buffer[] = [];
		while (!this.#isOpen) {
			const lineEnd = this.#pending.indexOf(10) + 1;
			// The first byte of the next line is needed, too: a blank there would fold that line into our header.
			const next = lineEnd === 0 ? undefined : this.#pending[lineEnd];
			if (next === undefined) {
				if (this.#pending.length > maxStatusLineBytes) throw new BadResponse("the status line is too long");
				return out;
			}
			if (next === 32 || next === 9) throw new BadResponse("the status line is folded");
			const part = this.#takeHead(lineEnd);
			if (part === undefined) return out;
			out.push(...part);
		}
		return out;
	}

	#takeHead(lineEnd: number): Buffer[] | undefined {
		const line = this.#pending.toString("latin1", 0, lineEnd).replace(/\r?\n$/, "");
		const status = Number(statusLineForm.exec(line)?.[1]);
		if (Number.isNaN(status)) throw new BadResponse("not an HTTP/1 answer");
		if (status >= 100 && status < 200 && status !== 101) return this.#takeInterim();
		// Chrome takes a 101 that it never asked for as interim and would wait for a further head, unseen by us.
		if (status === 101 && !this.#isUpgrade) throw new BadResponse("an upgrade that nobody asked for");
		this.#onFinal(status);
		this.#isOpen = true;
		if (status === 101) return [this.#pending];
		const statusLine = Buffer.from(`${line}\r\nConnection: close\r\n`, "latin1");
		return [statusLine, this.#pending.subarray(lineEnd)];
	}

	/** A 1xx answer goes by as it is, with the same strictness as a request: its end must be beyond doubt. */
	#takeInterim(): Buffer[] | undefined {
		try {
			const split = new HeadReader().push(this.#pending);
			if (split === undefined) return undefined;
			this.#pending = Buffer.from(split.rest);
			return [split.head];
		} catch (thrown) {
			throw new BadResponse(messageOf(thrown));
		}
	}
}
