import { adjectives, animals, NumberDictionary, uniqueNamesGenerator } from "unique-names-generator";

const numbers = NumberDictionary.generate({ min: 10, max: 999 });

/** A name of the form `<adjective>-<animal>-<number>` (spec 2.1), at most 64 characters. */
export function generateName(): string {
	return uniqueNamesGenerator({
		dictionaries: [adjectives, animals, numbers],
		separator: "-",
		style: "lowerCase",
	})
		.replaceAll(" ", "-")
		.slice(0, 64);
}
