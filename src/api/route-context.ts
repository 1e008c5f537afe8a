import type { Images } from "../catalog/images.ts";
import type { Exits } from "../sessions/exit-choice.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { Authenticated } from "./authenticate.ts";
import type { ViewOptions } from "./session-view.ts";

/** What the routes have at hand. */
export interface RouteContext {
	authenticate(request: Request): Authenticated;
	sessions: SessionManager;
	images: Images;
	exits: Exits;
	view: ViewOptions;
}
