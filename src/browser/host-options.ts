import type { Log } from "../base/log.ts";

export interface BrowserHostOptions {
	runDir: string;
	/** The compiled barrel binary. */
	self: string;
	isolation: "cage" | "none";
	/** Chrome's own sandbox. */
	sandbox: boolean;
	orphanTimeoutMs: number;
	/** Real uids for sessions, used when the daemon is root. */
	firstUid: number;
	uidCount: number;
	/** Session secrets are derived from it. */
	secret: string;
	/** bubblewrap before 0.8 cannot. */
	canSizeTmpfs: boolean;
	log: Log;
}

/** What the places of sessions get from their host. */
export interface PlaceOptions extends BrowserHostOptions {
	/** Browsers, with flags and screen, whose first tab was seen to be exactly as large as asked for. */
	fittingWindows: Set<string>;
}
