const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function isUnit(unit: string): unit is keyof typeof unitMs {
	return unit in unitMs;
}

/** Milliseconds of a duration such as "3s", "1.5m" or "18h"; undefined when the text is no duration. */
export function parseDuration(text: string): number | undefined {
	const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
	const [, amount, unit] = match ?? [];
	if (amount === undefined || unit === undefined || !isUnit(unit)) return undefined;
	return Math.round(Number(amount) * unitMs[unit]);
}
