import type { Images } from "../catalog/images.ts";
import type { Location, ResidentialCatalog } from "../catalog/locations.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { Authenticated } from "./authenticate.ts";
import type { ViewOptions } from "./session-view.ts";

/** What the routes have at hand. */
export interface RouteContext {
	authenticate(request: Request): Authenticated;
	sessions: SessionManager;
	images: Images;
	locations: readonly Location[];
	residential: ResidentialCatalog;
	view: ViewOptions;
}
