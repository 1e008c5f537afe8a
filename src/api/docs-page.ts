/** The API as a page for people, made from the OpenAPI operations; it loads nothing from anywhere. */
import type { TSchema } from "@sinclair/typebox";
import { type Operation, operations } from "./openapi.ts";
import { refusedSchema } from "./schemas.ts";

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886; padding-bottom: .3rem; font-size: 1.15rem; }
code, pre { font: .9em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886; border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid #8884; }
`;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
	return text.replace(/[&<>"]/g, (character) => escapes[character] ?? "");
}

function typeOf(schema: TSchema): string {
	if ("const" in schema) return JSON.stringify(schema["const"]);
	if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map(typeOf).join(" | ");
	if (schema["type"] === "array") return `array of ${typeOf(schema["items"])}`;
	return String(schema["type"]);
}

function boundsOf({ minimum, maximum, minLength, maxLength, maxCharacters }: TSchema): string {
	if (typeof minimum === "number" && typeof maximum === "number") return `${minimum} to ${maximum}`;
	const longest: unknown = maxLength ?? maxCharacters;
	return typeof longest === "number" ? `${Number(minLength ?? 0)} to ${longest} characters` : "";
}

function rows(properties: Record<string, TSchema>, prefix = ""): string {
	return Object.entries(properties)
		.map(([name, schema]) => {
			const words = [schema.description, boundsOf(schema)]
				.filter((word) => word !== undefined && word !== "")
				.join(" ");
			const cells = [`<code>${prefix}${name}</code>`, escaped(typeOf(schema)), escaped(words)];
			const below: Record<string, TSchema> | undefined = schema["properties"] ?? schema["items"]?.properties;
			const inner = below === undefined ? "" : rows(below, `${prefix}${name}.`);
			return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>${inner}`;
		})
		.join("");
}

function table(caption: string, properties: Record<string, TSchema> | undefined): string {
	if (properties === undefined || Object.keys(properties).length === 0) return "";
	return `<h3>${caption}</h3><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows(properties)}</tbody></table>`;
}

function section({ method, path, id, summary, body, query, answer, isOpen }: Operation): string {
	const bodyProperties: Record<string, TSchema> | undefined = body?.["properties"];
	return `<h2 id="${id}"><code>${method.toUpperCase()} /v8${path}</code></h2>
<p>${escaped(summary)}.${isOpen === true ? " Needs no key." : ""}</p>
${table("Query", query?.properties)}${table("Body (JSON, every field optional)", bodyProperties)}${table("Answer", answer["properties"])}`;
}

/** A whole HTML document. */
export function docsPage(publicUrl: string, version: string): string {
	const example = `curl -s ${publicUrl}/v8/web/sessions -H "Authorization: Bearer $BARREL_KEY" -H "Content-Type: application/json" -d '{}'`;
	const places = [...operations, { id: "refusal", summary: "Every answer but ok" }];
	const links = places.map(({ id, summary }) => `<li><a href="#${id}">${escaped(summary)}</a></li>`).join("");
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>barrel ${version}: API</title><style>${style}</style></head><body><main>
<h1>barrel API</h1>
<p>Send <code>Authorization: Bearer &lt;app key&gt;</code> with every call but the catalog's. Every answer is HTTP 200 with JSON;
<code>status</code> is <code>ok</code>, <code>denied</code>, <code>upgrade</code> or <code>error</code>, and <code>message</code> says why.
The same as <a href="openapi.json">OpenAPI 3.1</a>.</p>
<pre>${escaped(example)}</pre><ul>${links}</ul>
${operations.map(section).join("\n")}
<h2 id="refusal">Every answer but ok</h2>
${table("Refusal", refusedSchema.properties)}
</main></body></html>`;
}
