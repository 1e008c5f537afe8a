/** The language of the sentences in an answer (spec 7, rule 2). */
import Negotiator from "negotiator";

export const languages = ["en", "de", "fr", "es"] as const;

export type Language = (typeof languages)[number];

const defaultLanguage = "en" satisfies Language;

/**
 * The first of the caller's languages that there is, a region left aside (de-AT is de). English when there is none, and
 * where the caller says that any will do.
 */
export function languageOf(request: Request): Language {
	const header = request.headers.get("accept-language") ?? "";
	const wanted = new Negotiator({ headers: { "accept-language": header } }).languages();
	for (const tag of wanted) {
		if (tag === "*") return defaultLanguage;
		const [primary] = tag.toLowerCase().split("-");
		const found = languages.find((language) => language === primary);
		if (found !== undefined) return found;
	}
	return defaultLanguage;
}
