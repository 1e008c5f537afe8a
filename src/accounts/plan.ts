import { OperatorError } from "../base/errors.ts";

export type Feature =
	| "programmatic_access"
	| "locations"
	| "own_proxy"
	| "residential"
	| "restricted_images"
	| "analysis";

/** What a subscription grants. Plans come from the configuration; `null` means unlimited. */
export interface Plan {
	readonly id: string;
	readonly name: string;
	/** Sessions at the same time. */
	readonly runningSessionLimit: number;
	/** Sessions started in a billing cycle. */
	readonly cycleSessionLimit: number | null;
	/** Runtime of all sessions in a billing cycle. */
	readonly runtimeMinutes: number | null;
	/** Residential traffic in a billing cycle. */
	readonly residentialMb: number | null;
	readonly features: readonly Feature[];
}

/** The plan with this id; an OperatorError that names the plans that exist when there is none. */
export function getPlan(plans: readonly Plan[], id: string): Plan {
	const plan = plans.find((candidate) => candidate.id === id);
	if (plan !== undefined) return plan;
	const existing = plans.map((candidate) => candidate.id).join(", ");
	throw new OperatorError(
		`there is no plan ${JSON.stringify(id)}; ${existing === "" ? "the configuration has no [[plans]]" : `the plans are: ${existing}`}`,
	);
}
