/**
 * On which line of a TOML text each key stands. Expects a text that the parser has accepted: it skips what it does not
 * need to understand and reports nothing. Keys are JSON pointers ("/images/0/flags"), as TypeBox writes them.
 */

/** Lines count from 1. Tables, keys, entries of lists and keys of inline tables are all in it. */
export type KeyLines = ReadonlyMap<string, number>;

const blanks = /[ \t]*/y;
const blankLines = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const restOfLine = /[^\n]*/y;
const keyPart = /[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
const quoted = /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
const bareValue = /[^,\]}#\n]*/y;

function pointerTo(base: string, key: string): string {
	return `${base}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

class Scanner {
	readonly lines = new Map<string, number>();
	readonly #text: string;
	#offset = 0;
	#line = 1;
	/** How many tables each [[array]] has so far. */
	readonly #tables = new Map<string, number>();

	constructor(text: string) {
		this.#text = text;
	}

	scan(): void {
		let table = "";
		this.#take(blankLines);
		while (this.#offset < this.#text.length) {
			const start = this.#offset;
			if (this.#next() === "[") table = this.#header();
			else this.#pair(table);
			this.#take(restOfLine);
			this.#take(blankLines);
			if (this.#offset === start) return;
		}
	}

	#next(): string | undefined {
		return this.#text[this.#offset];
	}

	#take(pattern: RegExp): string {
		pattern.lastIndex = this.#offset;
		const taken = pattern.exec(this.#text)?.[0] ?? "";
		this.#offset += taken.length;
		this.#line += taken.split("\n").length - 1;
		return taken;
	}

	#mark(pointer: string): void {
		if (!this.lines.has(pointer)) this.lines.set(pointer, this.#line);
	}

	#dottedKey(): string[] {
		const parts: string[] = [];
		do {
			if (parts.length > 0) this.#offset += 1;
			this.#take(blanks);
			const part = this.#take(keyPart);
			parts.push(/^["']/.test(part) ? part.slice(1, -1) : part);
			this.#take(blanks);
		} while (this.#next() === ".");
		return parts;
	}

	/** Marks the header and answers the pointer of the table that it opens. */
	#header(): string {
		const isArray = this.#text.startsWith("[[", this.#offset);
		this.#offset += isArray ? 2 : 1;
		const parts = this.#dottedKey();
		let pointer = "";
		for (const [index, part] of parts.entries()) {
			pointer = pointerTo(pointer, part);
			this.#mark(pointer);
			const known = this.#tables.get(pointer);
			if (isArray && index === parts.length - 1) {
				this.#tables.set(pointer, (known ?? 0) + 1);
				pointer = `${pointer}/${known ?? 0}`;
				this.#mark(pointer);
			} else if (known !== undefined) pointer = `${pointer}/${known - 1}`;
		}
		return pointer;
	}

	#pair(table: string): void {
		let pointer = table;
		for (const part of this.#dottedKey()) {
			pointer = pointerTo(pointer, part);
			this.#mark(pointer);
		}
		if (this.#next() === "=") this.#offset += 1;
		this.#take(blanks);
		this.#value(pointer);
	}

	#value(pointer: string): void {
		const first = this.#next();
		if (first === "[") this.#entries("]", (index) => this.#entry(`${pointer}/${index}`));
		else if (first === "{") this.#entries("}", () => this.#pair(pointer));
		else this.#take(first === '"' || first === "'" ? quoted : bareValue);
	}

	#entry(pointer: string): void {
		this.#mark(pointer);
		this.#value(pointer);
	}

	#entries(end: string, scanEntry: (index: number) => void): void {
		this.#offset += 1;
		for (let index = 0; ; index += 1) {
			this.#take(blankLines);
			const start = this.#offset;
			const next = this.#next();
			if (next === end) this.#offset += 1;
			if (next === end || next === undefined) return;
			scanEntry(index);
			this.#take(blankLines);
			if (this.#next() === ",") this.#offset += 1;
			if (this.#offset === start) return;
		}
	}
}

export function keyLines(toml: string): KeyLines {
	const scanner = new Scanner(toml);
	scanner.scan();
	return scanner.lines;
}

/** The line of the key or, when it is not in the text, of the nearest table or list around it. */
export function lineOf(lines: KeyLines, pointer: string): number | undefined {
	for (let around = pointer; around !== ""; around = around.slice(0, around.lastIndexOf("/"))) {
		const line = lines.get(around);
		if (line !== undefined) return line;
	}
	return undefined;
}
