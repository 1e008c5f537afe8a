import type { Images } from "../catalog/images.ts";
import type { Exits } from "../sessions/exit-choice.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { QuotaReport } from "../usage/quota-report.ts";
import type { UsageReport } from "../usage/usage-report.ts";
import type { Authenticated } from "./authenticate.ts";
import type { ViewOptions } from "./session-view.ts";

/** What the routes have at hand. */
export interface RouteContext {
	authenticate(request: Request): Authenticated;
	sessions: SessionManager;
	usageOf(accountId: number): UsageReport;
	quotaOf(accountId: number): QuotaReport;
	images: Images;
	exits: Exits;
	view: ViewOptions;
}
