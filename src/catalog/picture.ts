/** The images' pictures: drawn here, so that a page that shows them asks nobody for anything. */
import type { BrowserFamily } from "./browsers.ts";

const colours: Record<BrowserFamily, string> = {
	chrome: "#3b6ea5",
	chromium: "#4a7fd0",
	edge: "#0f7b8a",
	brave: "#d2521d",
	"headless-shell": "#5b6472",
};

/** A browser window in the family's colour, as a `data:` address of an SVG. */
export function pictureOf(family: BrowserFamily): string {
	const frame = `<rect x="4" y="8" width="40" height="32" rx="5" fill="${colours[family]}"/>`;
	const page = '<rect x="7" y="17" width="34" height="20" rx="2" fill="#fff"/>';
	const buttons =
		'<circle cx="10.5" cy="12.5" r="1.7" fill="#fff"/><circle cx="16" cy="12.5" r="1.7" fill="#fff"/>';
	const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">${frame}${page}${buttons}</svg>`;
	return `data:image/svg+xml;base64,${btoa(drawing)}`;
}
