/** Environment variables `BARREL__SECTION__KEY`, each of which replaces one value of the file. */
import { parse } from "smol-toml";
import { settings, singleSettings } from "./schema.ts";
import { nearest } from "./suggestion.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Override {
	/** The variable's name as it is spelled in the environment. */
	readonly variable: string;
	readonly section: string;
	readonly key: string;
	readonly value: unknown;
}

export interface Overrides {
	readonly overrides: readonly Override[];
	readonly problems: readonly string[];
}

const prefix = "BARREL__";

function variableOf(setting: string): string {
	return prefix + setting.toUpperCase().replaceAll(".", "__");
}

const settingOfVariable: ReadonlyMap<string, string> = new Map(
	singleSettings.map((setting) => [variableOf(setting), setting]),
);

/** What the variables of lists of tables would begin with: "BARREL__IMAGES__". */
const listVariables: readonly string[] = settings
	.filter((setting) => !singleSettings.includes(setting))
	.map((setting) => variableOf(setting.replace(/\..*/, ".")));

/** A TOML value where the text is one, else the text. */
function parseValue(text: string): unknown {
	try {
		const { value, ...others } = parse(`value = ${text}`);
		return Object.keys(others).length === 0 ? value : text;
	} catch {
		return text;
	}
}

function unknownVariable(name: string): string {
	const upper = name.toUpperCase();
	if (listVariables.some((list) => `${upper}__`.startsWith(list))) {
		return `${name} cannot be set: lists of tables are read from the file only`;
	}
	const meant = nearest(upper, [...settingOfVariable.keys()]);
	return `${name} is not a variable that barrel knows${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

export function readOverrides(env: Environment): Overrides {
	const problems: string[] = [];
	const overrides = new Map<string, Override>();
	for (const [variable, text] of Object.entries(env)) {
		if (text === undefined || !variable.toUpperCase().startsWith(prefix)) continue;
		const setting = settingOfVariable.get(variable.toUpperCase());
		const [section, key] = setting?.split(".") ?? [];
		const earlier = setting === undefined ? undefined : overrides.get(setting);
		if (setting === undefined || section === undefined || key === undefined) {
			problems.push(unknownVariable(variable));
		} else if (earlier !== undefined) {
			problems.push(`${variable} and ${earlier.variable} set the same value: keep one of them`);
		} else {
			overrides.set(setting, { variable, section, key, value: parseValue(text) });
		}
	}
	return { overrides: [...overrides.values()], problems };
}
