import { expect, test } from "vitest";
import { type BrowserFamily, familyOf } from "../../../src/catalog/browsers.ts";
import { Images } from "../../../src/catalog/images.ts";
import { pictureOf } from "../../../src/catalog/picture.ts";

const families: readonly BrowserFamily[] = ["chrome", "chromium", "edge", "brave", "headless-shell"];

function drawingOf(picture: string): string {
	const [, encoded = ""] = /^data:image\/svg\+xml;base64,([\w+/]+=*)$/.exec(picture) ?? [];
	return atob(encoded);
}

test.each(families)("the picture of %s is an SVG that asks nobody for anything", (family) => {
	const drawing = drawingOf(pictureOf(family));
	expect(drawing).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
	expect(drawing.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
		/http|href|url\(|<script|<image/,
	);
});

test("each family has a picture of its own", () => {
	expect(new Set(families.map(pictureOf)).size).toBe(families.length);
});

test("each of the machine's own browsers has the picture of its family", () => {
	for (const { executable, picture } of new Images([]).list())
		expect(picture).toBe(pictureOf(familyOf(executable)));
});

test.each([
	["/opt/google/chrome/chrome", "chrome"],
	["/usr/lib/chromium/chromium", "chromium"],
	["/usr/lib64/chromium-browser/chromium-browser", "chromium"],
	["/opt/microsoft/msedge/msedge", "edge"],
	["/opt/brave.com/brave/brave", "brave"],
	["/usr/lib/chromium/chromium-headless-shell", "headless-shell"],
	["/opt/chrome-headless-shell/chrome-headless-shell", "headless-shell"],
	["/home/me/.cache/headless_shell", "headless-shell"],
	["/home/me/build/out/chrome", "chrome"],
	["auto", "chrome"],
])("%s is of the family %s", (executable, family) => {
	expect(familyOf(executable)).toBe(family);
});
