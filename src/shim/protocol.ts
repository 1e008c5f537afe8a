/**
 * What the daemon and a session's shim say to each other. The daemon hands the shim its orders on standard input, then
 * listens on `in/control.sock`; the shim connects (again and again after a break) and both prove that they know the
 * session's secret. Messages are JSON, one per line.
 */

/** Raised whenever a message changes its meaning. A daemon understands the shims of the release before its own. */
export const PROTOCOL_VERSION = 1;

/** File names in a session's folder: `in/` is written by the daemon, `out/` by the shim. */
export const sessionFiles = {
	egressSocket: "egress.sock",
	controlSocket: "control.sock",
	cdpSocket: "cdp.sock",
	shimState: "shim.json",
	exit: "exit.json",
} as const;

/** The shim's orders. Sent on standard input because they carry the secret, which no process list may show. */
export interface ShimOrders {
	version: number;
	sessionId: string;
	secret: string;
	executable: string;
	/** Chrome's command line; `{proxyPort}` stands for the port of the shim's relay to the egress gateway. */
	flags: string[];
	environment: Record<string, string>;
	profileDir: string;
	inDir: string;
	outDir: string;
	/** Fixed ports inside a network namespace of the session's own; 0 picks free ones where the host's is shared. */
	debugPort: number;
	proxyPort: number;
	/** The browser ends when no daemon has been heard of for this long. */
	orphanTimeoutMs: number;
}

export type ShimMessage =
	| { type: "hello"; version: number; proof: string; pid: number }
	| { type: "ready"; cdpPath: string; browserPid: number }
	| { type: "exited"; code: number | null; signal: string | null; output: string };

export type DaemonMessage = { type: "hello"; version: number; proof: string } | { type: "end" };

/** What each side proves its knowledge of the secret over: its own role, so that neither can echo the other. */
export function proofText(role: "daemon" | "shim", sessionId: string): string {
	return `${role}:${PROTOCOL_VERSION}:${sessionId}`;
}
