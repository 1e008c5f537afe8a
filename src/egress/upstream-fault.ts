/** What can go wrong between the gateway and a proxy. No message says where the proxy is or what its credentials are. */

/** The exits that lead through a proxy. */
export type ProxyExitKind = "location" | "residential" | "own_proxy";

/**
 * `credentials`: it refused them, or wants some. `refused`: it does not open the target. `certificate`: its TLS certificate
 * does not hold. `protocol`: it answered nothing, or nothing that its protocol knows.
 */
export type UpstreamProblem =
	| "credentials"
	| "refused"
	| "unreachable"
	| "certificate"
	| "timeout"
	| "protocol";

/** A proxy that failed, whichever exit it belongs to. */
export class UpstreamFault extends Error {
	override readonly name = "UpstreamFault";
	readonly problem: UpstreamProblem;

	/** @param detail for the log: a code of the system or the protocol, nothing that the proxy said in words */
	constructor(problem: UpstreamProblem, detail: string) {
		super(`${problem} (${detail})`);
		this.problem = problem;
	}
}

/** A session's exit that failed. The request ends with it: there is no other way out. */
export class ExitFault extends Error {
	override readonly name = "ExitFault";
	readonly exit: ProxyExitKind;
	readonly problem: UpstreamProblem;

	constructor(exit: ProxyExitKind, { problem, message }: UpstreamFault) {
		super(`${exit} exit: ${message}`);
		this.exit = exit;
		this.problem = problem;
	}
}
