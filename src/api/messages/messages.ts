import type { Refusal, RefusalKey, RefusalTexts } from "../../base/errors.ts";
import type { Language } from "../language.ts";
import { german } from "./de.ts";
import { english } from "./en.ts";
import { spanish } from "./es.ts";
import { french } from "./fr.ts";

/** One sentence for each refusal (spec 7, rule 2). A language that lacks one does not compile. */
export type Messages = { [K in RefusalKey]: (details: RefusalTexts[K]) => string };

const catalogs: Record<Language, Messages> = { en: english, de: german, fr: french, es: spanish };

/** The sentence for a refusal. */
export function messageFor<K extends RefusalKey>(language: Language, refusal: Refusal<K>): string {
	return catalogs[language][refusal.key](refusal.details);
}
