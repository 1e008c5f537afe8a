import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";

/** GET /image (spec 4.7): needs no key. */
export function readCatalog(context: RouteContext): Response {
	return ok({
		images: context.images.list().map((image) => ({
			id: image.id,
			name: image.name,
			picture: image.picture,
			enabled: image.enabled,
			requires_feature_restricted_images: image.requiresFeatureRestrictedImages,
			supports_analysis: image.supportsAnalysis,
			supports_programmatic: image.supportsProgrammatic,
		})),
		vpnLocations: context.locations.map(({ code, name, defaultCity, cities }) => ({
			code,
			name,
			default: defaultCity,
			cities: cities.map((city) => ({ code: city.code, location: city.location })),
		})),
		residential: context.residential,
	});
}
