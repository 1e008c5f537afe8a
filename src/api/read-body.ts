import { Refusal } from "../base/errors.ts";

const LARGEST_BODY = 1024 * 1024;

function tooLarge(): Refusal {
	return new Refusal("body-too-large", { limit: "1 MB" }, { code: "invalid_arguments" });
}

/** The request's JSON; undefined when the body is empty. Throws a Refusal above 1 MB, without reading the rest. */
export async function readJsonBody(request: Request): Promise<unknown> {
	if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of request.body ?? []) {
		length += chunk.byteLength;
		if (length > LARGEST_BODY) throw tooLarge();
		chunks.push(chunk);
	}
	const text = Buffer.concat(chunks).toString("utf8");
	if (text.trim() === "") return undefined;
	try {
		return JSON.parse(text);
	} catch {
		throw new Refusal("body-not-json", {}, { code: "invalid_arguments" });
	}
}
