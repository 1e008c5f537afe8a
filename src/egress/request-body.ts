/**
 * Lets exactly one request body through, by its Content-Length or its chunks, and nothing of what follows: bytes behind
 * the body must not reach the target as a second request that nobody checked.
 */
import { BadHead, type RequestHead, valuesOf } from "./http-head.ts";

/** Takes what the client sends, in any chunks, and gives what may go on to the target. */
export interface BodyFilter {
	/** @throws BadHead when the chunked framing is malformed */
	take(chunk: Buffer): Buffer[];
}

export type BodyFraming = { readonly kind: "length"; readonly length: number } | { readonly kind: "chunked" };

/**
 * How the body of the request is framed; without any header its length is 0.
 * @throws BadHead for every way in which two readers could disagree
 */
export function bodyFraming({ headers, version }: RequestHead): BodyFraming {
	const lengths = valuesOf(headers, "content-length");
	const codings = valuesOf(headers, "transfer-encoding");
	const [length = "0"] = lengths;
	if (lengths.length > 1) throw new BadHead("more than one Content-Length");
	if (codings.length > 0) {
		if (lengths.length > 0) throw new BadHead("Content-Length together with Transfer-Encoding");
		if (version === "1.0") throw new BadHead("Transfer-Encoding in HTTP/1.0");
		if (codings.length > 1 || codings[0]?.toLowerCase() !== "chunked") {
			throw new BadHead("a Transfer-Encoding other than chunked");
		}
		return { kind: "chunked" };
	}
	if (!/^[0-9]{1,15}$/.test(length)) throw new BadHead("a malformed Content-Length");
	return { kind: "length", length: Number(length) };
}

/** The filter for a body of that framing. */
export function bodyFilter(framing: BodyFraming): BodyFilter {
	return framing.kind === "chunked" ? new ChunkedBody() : new FixedBody(framing.length);
}

class FixedBody implements BodyFilter {
	#left: number;

	constructor(length: number) {
		this.#left = length;
	}

	take(chunk: Buffer): Buffer[] {
		const part = chunk.subarray(0, this.#left);
		this.#left -= part.length;
		return part.length === 0 ? [] : [part];
	}
}

const maxLineBytes = 4_096;
const maxTrailerLines = 100;
const chunkSizeForm = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const trailerForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;

/** Writes the framing anew, so that extensions and trailers end here, where no two readers can disagree about them. */
class ChunkedBody implements BodyFilter {
	#state: "size" | "data" | "data-end" | "trailer" | "done" = "size";
	#left = 0;
	#line = "";
	#trailerLines = 0;

	take(chunk: Buffer): Buffer[] {
		const out: Buffer[] = [];
		let rest = chunk;
		while (rest.length > 0 && this.#state !== "done") {
			if (this.#state === "data") {
				const data = rest.subarray(0, this.#left);
				out.push(data);
				rest = rest.subarray(data.length);
				this.#left -= data.length;
				if (this.#left === 0) this.#state = "data-end";
				continue;
			}
			const end = rest.indexOf(10);
			this.#line += rest.toString("latin1", 0, end === -1 ? rest.length : end + 1);
			if (this.#line.length > maxLineBytes) throw new BadHead("a line of the chunked body is too long");
			if (end === -1) break;
			rest = rest.subarray(end + 1);
			if (!this.#line.endsWith("\r\n")) throw new BadHead("LF alone in the chunked body");
			const line = this.#line.slice(0, -2);
			this.#line = "";
			const framing = this.#takeLine(line);
			if (framing !== "") out.push(Buffer.from(framing, "latin1"));
		}
		return out;
	}

	/** The framing to write in the place of this line. */
	#takeLine(line: string): string {
		if (this.#state === "data-end") {
			if (line !== "") throw new BadHead("a chunk is longer than it says");
			this.#state = "size";
			return "\r\n";
		}
		if (this.#state === "size") {
			const [, size] = chunkSizeForm.exec(line) ?? [];
			if (size === undefined) throw new BadHead("a malformed chunk size");
			this.#left = Number.parseInt(size, 16);
			this.#state = this.#left === 0 ? "trailer" : "data";
			return `${this.#left.toString(16)}\r\n`;
		}
		if (line === "") {
			this.#state = "done";
			return "\r\n";
		}
		if (!trailerForm.test(line) || ++this.#trailerLines > maxTrailerLines)
			throw new BadHead("a malformed trailer");
		return "";
	}
}
