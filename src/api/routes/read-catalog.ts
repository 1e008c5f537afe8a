import { ok } from "../reply.ts";
import type { RouteContext } from "../route-context.ts";

/** GET /image (spec 4.7): needs no key. */
export function readCatalog({ images, exits }: RouteContext): Response {
	return ok({
		images: images.list().map((image) => ({
			id: image.id,
			name: image.name,
			picture: image.picture,
			enabled: image.enabled,
			requires_feature_restricted_images: image.requiresFeatureRestrictedImages,
			supports_analysis: image.supportsAnalysis,
			supports_programmatic: image.supportsProgrammatic,
		})),
		vpnLocations: exits.locations.map((country) => ({
			code: country.code,
			name: country.name,
			default: country.default,
			cities: country.cities.map(({ code, location }) => ({ code, location })),
		})),
		residential: {
			configured: exits.residential !== undefined,
			countries: exits.residential === undefined ? [] : exits.residential.countries,
		},
	});
}
