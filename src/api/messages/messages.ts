import type { Refusal, RefusalKey } from "../../base/errors.ts";
import type { Language } from "../language.ts";
import { german } from "./de.ts";
import { english } from "./en.ts";
import { spanish } from "./es.ts";
import { french } from "./fr.ts";
import type { Messages } from "./texts.ts";

const catalogs: Record<Language, Messages> = { en: english, de: german, fr: french, es: spanish };

/** The sentence for a refusal. */
export function messageFor<K extends RefusalKey>(language: Language, refusal: Refusal<K>): string {
	return catalogs[language][refusal.key](refusal.details);
}
