import type { Language } from "../language.ts";

/** A length of time in words, such as "1 minute, 30 seconds". */
export function waitText(language: Language, seconds: number): string {
	return new Intl.DurationFormat(language, { style: "long" }).format({
		hours: Math.floor(seconds / 3_600),
		minutes: Math.floor((seconds % 3_600) / 60),
		seconds: seconds % 60,
	});
}
