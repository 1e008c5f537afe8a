/**
 * Reads one HTTP/1 request head off a byte stream, strictly: what two parsers could read in two ways is refused, so that
 * no request can be smuggled past the gateway inside of another. Body framing is request-body.ts.
 */

const maxHeadBytes = 64 * 1_024;

/** The bytes are no acceptable request head. Its message is fit for the client. */
export class BadHead extends Error {
	override readonly name = "BadHead";
	readonly status: 400 | 431;

	constructor(message: string, status: 400 | 431 = 400) {
		super(message);
		this.status = status;
	}
}

export interface Header {
	/** As the client spelled it. */
	readonly name: string;
	readonly value: string;
}

export interface RequestHead {
	readonly method: string;
	readonly target: string;
	readonly version: "1.0" | "1.1";
	readonly headers: readonly Header[];
}

export interface SplitHead {
	/** Through the empty line that ends it. */
	readonly head: Buffer;
	/** What came behind the head in the same chunk. */
	readonly rest: Buffer;
}

const LF = 10;
const CR = 13;

/** Collects chunks until a head is complete; scans every byte once. */
export class HeadReader {
	readonly #chunks: Buffer[] = [];
	#size = 0;
	#lineLength = 0;
	#afterCr = false;

	/**
	 * The head, once this chunk completes it.
	 * @throws BadHead for a bare CR or LF, NUL, or more than 64 KB
	 */
	push(chunk: Buffer): SplitHead | undefined {
		for (const [index, byte] of chunk.entries()) {
			if (++this.#size > maxHeadBytes) throw new BadHead("the request head is larger than 64 KB", 431);
			if (!this.#endsHead(byte)) continue;
			this.#chunks.push(chunk.subarray(0, index + 1));
			return { head: Buffer.concat(this.#chunks), rest: chunk.subarray(index + 1) };
		}
		this.#chunks.push(chunk);
		return undefined;
	}

	#endsHead(byte: number): boolean {
		if (byte === 0) throw new BadHead("NUL in the head");
		if ((byte === LF) !== this.#afterCr) throw new BadHead("CR or LF alone in the head");
		this.#afterCr = byte === CR;
		if (byte === LF) {
			if (this.#lineLength === 0) return true;
			this.#lineLength = 0;
		} else if (byte !== CR) this.#lineLength++;
		return false;
	}
}

const requestLineForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP\/(1\.[01])$/;
const headerForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * Parses a complete head, as `HeadReader` gives it.
 * @throws BadHead for whatever is not exactly a request line and `Name: value` lines, and for more than one Host
 */
export function parseRequestHead(bytes: Buffer): RequestHead {
	const [requestLine = "", ...lines] = bytes.toString("latin1").slice(0, -4).split("\r\n");
	const [, method, target, version] = requestLineForm.exec(requestLine) ?? [];
	if (method === undefined || target === undefined || version === undefined) {
		throw new BadHead("the request line is malformed");
	}
	const headers = lines.map(parseHeader);
	if (valuesOf(headers, "host").length > 1) throw new BadHead("more than one Host header");
	return { method, target, version: version === "1.0" ? "1.0" : "1.1", headers };
}

/** A folded line begins with a blank and so has no name: it is refused here with all else that is malformed. */
function parseHeader(line: string): Header {
	const [, name, value] = headerForm.exec(line) ?? [];
	if (name === undefined || value === undefined) throw new BadHead("a header line is malformed");
	return { name, value: value.replace(/[ \t]+$/, "") };
}

/** Every value of the headers of that name, given in lower case. */
export function valuesOf(headers: readonly Header[], name: string): string[] {
	return headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
}

/** The comma-separated members of a list header such as Connection, in lower case. */
export function tokensOf(headers: readonly Header[], name: string): string[] {
	return valuesOf(headers, name).flatMap((value) =>
		value.split(",").map((token) => token.trim().toLowerCase()),
	);
}
