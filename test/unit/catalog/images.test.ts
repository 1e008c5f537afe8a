import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../../../src/catalog/browsers.ts";
import { type ImageSettings, Images } from "../../../src/catalog/images.ts";
import { refusalOf } from "../../support/refusal-of.ts";

let folder: string;
let browser: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "barrel-images-"));
	browser = join(folder, "browser");
	writeFileSync(browser, "#!/bin/sh\n");
	chmodSync(browser, 0o755);
	mkdirSync(join(folder, "folder"));
	writeFileSync(join(folder, "text"), "no program");
	chmodSync(join(folder, "text"), 0o644);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function image(differences: Partial<ImageSettings> = {}): ImageSettings {
	return {
		id: "chrome",
		name: "Chrome",
		picture: undefined,
		executable: browser,
		flags: ["--lang=de"],
		enabled: true,
		supportsProgrammatic: true,
		supportsAnalysis: false,
		requiresFeatureRestrictedImages: false,
		...differences,
	};
}

describe("the list", () => {
	test("has the configured images in their order, usable or not", () => {
		const images = new Images([
			image(),
			image({ id: "off", enabled: false }),
			image({ id: "hand", supportsProgrammatic: false }),
		]);
		expect(images.list().map(({ id, enabled }) => [id, enabled])).toEqual([
			["chrome", true],
			["off", false],
			["hand", true],
		]);
		expect(images.usableIds()).toEqual(["chrome"]);
	});

	test.each(["missing", "text", "folder"])(
		"has an image whose executable is a %s, but not enabled",
		(name) => {
			const images = new Images([image({ executable: join(folder, name) })]);
			expect(images.list()).toMatchObject([{ id: "chrome", enabled: false }]);
			expect(images.usableIds()).toEqual([]);
		},
	);

	test("has the configured picture, else one that needs no request", () => {
		const [own, none] = new Images([
			image({ picture: "https://a.example/p.png" }),
			image({ id: "b" }),
		]).list();
		expect(own?.picture).toBe("https://a.example/p.png");
		expect(none?.picture).toMatch(/^data:image\/svg\+xml;base64,[\w+/=]+$/);
	});

	test("has the machine's own browsers when none is configured", () => {
		expect(new Images([]).list()[0]).toMatchObject({ id: "chrome", enabled: findBrowser() !== undefined });
	});

	test("takes the machine's first browser for auto", () => {
		expect(new Images([image({ executable: "auto" })]).list()[0]?.executable).toBe(findBrowser() ?? "auto");
	});
});

describe("getUsable", () => {
	test("answers the executable and the flags", () => {
		expect(new Images([image()]).getUsable("chrome", false)).toMatchObject({
			id: "chrome",
			executable: browser,
			flags: ["--lang=de"],
		});
	});

	test.each([
		["does not exist", "netscape"],
		["is not enabled", "off"],
		["cannot run API sessions", "hand"],
		["has another letter case", "Chrome"],
		["is empty", ""],
	])("refuses an image that %s and names those that can be used", (_, id) => {
		const images = new Images([
			image(),
			image({ id: "second" }),
			image({ id: "off", enabled: false }),
			image({ id: "hand", supportsProgrammatic: false }),
		]);
		expect(refusalOf(() => images.getUsable(id, false))).toMatchObject({
			key: "image-not-supported",
			status: "denied",
			code: "image_not_supported",
			details: { image: id },
			extra: { allowedImages: ["chrome", "second"] },
		});
	});

	describe("a restricted image", () => {
		const restricted = { requiresFeatureRestrictedImages: true };
		const images = () =>
			new Images([
				image({ ...restricted, id: "vault" }),
				image(),
				image({ ...restricted, id: "off", enabled: false }),
				image({ ...restricted, id: "hand", supportsProgrammatic: false }),
			]);

		test("is answered to plans with restricted images", () => {
			expect(images().getUsable("vault", true)).toMatchObject({
				id: "vault",
				executable: browser,
				requiresFeatureRestrictedImages: true,
			});
		});

		test("is refused to others as an upgrade, with the images that they can use", () => {
			expect(refusalOf(() => images().getUsable("vault", false))).toMatchObject({
				key: "image-restricted",
				status: "upgrade",
				code: "image_restricted",
				details: { image: "vault" },
				extra: { allowedImages: ["chrome"] },
			});
		});

		test.each([
			["off", true, ["vault", "chrome"]],
			["off", false, ["chrome"]],
			["hand", false, ["chrome"]],
			["netscape", true, ["vault", "chrome"]],
			["netscape", false, ["chrome"]],
		])(
			"that cannot be run is not supported: %s, restricted ones granted: %s",
			(id, isGranted, allowedImages) => {
				expect(refusalOf(() => images().getUsable(id, isGranted))).toMatchObject({
					key: "image-not-supported",
					status: "denied",
					code: "image_not_supported",
					extra: { allowedImages },
				});
			},
		);

		test("that is the only one is refused with none that can be used", () => {
			const only = new Images([image({ ...restricted, id: "vault" })]);
			expect(refusalOf(() => only.getUsable("vault", false))).toMatchObject({
				code: "image_restricted",
				extra: { allowedImages: [] },
			});
		});

		test("is in the list whoever asks", () => {
			expect(
				images()
					.list()
					.map(({ id }) => id),
			).toEqual(["vault", "chrome", "off", "hand"]);
			expect(images().usableIds()).toEqual(["vault", "chrome"]);
		});
	});

	test("calls it the service's failure when no image can be used at all", () => {
		const images = new Images([image({ executable: join(folder, "missing") })]);
		expect(refusalOf(() => images.getUsable("chrome", false))).toMatchObject({
			key: "browser-missing",
			status: "error",
			code: "internal_error",
		});
	});
});
