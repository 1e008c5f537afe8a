/** The browser images that sessions can run (spec 2.5), from the configuration or from what is found on the machine. */
import { Refusal } from "../base/errors.ts";
import { familyOf, findBrowser, findFamily, isExecutable } from "./browsers.ts";
import { pictureOf } from "./picture.ts";

/** An image as the configuration describes it. */
export interface ImageSettings {
	id: string;
	name: string;
	picture: string | undefined;
	/** A path, or "auto" for the first browser found on the machine. */
	executable: string;
	flags: readonly string[];
	enabled: boolean;
	supportsProgrammatic: boolean;
	supportsAnalysis: boolean;
	requiresFeatureRestrictedImages: boolean;
}

export interface Image extends Omit<ImageSettings, "picture"> {
	picture: string;
}

export interface UsableImage {
	id: string;
	executable: string;
	flags: readonly string[];
	requiresFeatureRestrictedImages: boolean;
}

const ordinary = {
	picture: undefined,
	flags: [],
	enabled: true,
	supportsProgrammatic: true,
	supportsAnalysis: false,
	requiresFeatureRestrictedImages: false,
} as const;

/** Beside `chrome`, which every machine offers, the other browsers by their own names. */
const furtherImages = [
	["chromium", "Chromium", "chromium"],
	["edge", "Microsoft Edge", "edge"],
	["brave", "Brave", "brave"],
	["chrome-light", "Chrome light", "headless-shell"],
] as const;

function imagesOfMachine(): ImageSettings[] {
	const chrome: ImageSettings = { ...ordinary, id: "chrome", name: "Chrome", executable: "auto" };
	const standsForChrome = findBrowser();
	const further = furtherImages.flatMap(([id, name, family]) => {
		const executable = findFamily(family);
		return executable === undefined || executable === standsForChrome
			? []
			: [{ ...ordinary, id, name, executable }];
	});
	return [chrome, ...further];
}

export class Images {
	readonly #configured: readonly ImageSettings[];

	/** Without configured images the machine's own are offered. */
	constructor(configured: readonly ImageSettings[]) {
		this.#configured = configured;
	}

	/** Every image of the catalog. One whose browser is not installed is not enabled. */
	list(): Image[] {
		const settings = this.#configured.length > 0 ? this.#configured : imagesOfMachine();
		return settings.map((image) => {
			const executable = image.executable === "auto" ? (findBrowser() ?? "auto") : image.executable;
			return {
				...image,
				executable,
				picture: image.picture ?? pictureOf(familyOf(executable)),
				enabled: image.enabled && isExecutable(executable),
			};
		});
	}

	/** Whether sessions can run this image now. */
	isUsable(id: string): boolean {
		return this.usableIds().includes(id);
	}

	/** The ids that API sessions may name. */
	usableIds(): string[] {
		return this.list()
			.filter(isUsable)
			.map(({ id }) => id);
	}

	/**
	 * The image by its id. Throws `image_not_supported` when API sessions cannot run it, and `image_restricted` when the plan
	 * cannot (spec 4.1); both name the images that can be used.
	 */
	getUsable(id: string, mayUseRestricted: boolean): UsableImage {
		const images = this.list();
		const image = images.find((candidate) => candidate.id === id);
		const isGranted = (candidate: Image) => mayUseRestricted || !candidate.requiresFeatureRestrictedImages;
		if (image !== undefined && isUsable(image) && isGranted(image)) return image;
		if (!images.some(isUsable))
			throw new Refusal("browser-missing", { image: id }, { status: "error", code: "internal_error" });
		const allowedImages = images
			.filter((usable) => isUsable(usable) && isGranted(usable))
			.map((usable) => usable.id);
		const extra = { allowedImages };
		throw image !== undefined && isUsable(image)
			? new Refusal("image-restricted", { image: id }, { status: "upgrade", code: "image_restricted", extra })
			: new Refusal("image-not-supported", { image: id }, { code: "image_not_supported", extra });
	}
}

function isUsable(image: Image): boolean {
	return image.enabled && image.supportsProgrammatic;
}
