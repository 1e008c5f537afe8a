/** Finds the browsers of this machine: real binaries, not the wrapper scripts and snaps that cannot run in a cage. */
import { accessSync, constants, statSync } from "node:fs";

export type BrowserFamily = "chrome" | "chromium" | "edge" | "brave" | "headless-shell";

const places: Record<BrowserFamily, readonly string[]> = {
	chrome: ["/opt/google/chrome/chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
	chromium: [
		"/usr/lib/chromium/chromium",
		"/usr/lib64/chromium-browser/chromium-browser",
		"/usr/lib/chromium-browser/chromium-browser",
		"/opt/chromium.org/chromium/chromium",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
	],
	edge: ["/opt/microsoft/msedge/msedge", "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
	brave: ["/opt/brave.com/brave/brave", "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser"],
	"headless-shell": [
		"/usr/lib/chromium/chromium-headless-shell",
		"/opt/chrome-headless-shell/chrome-headless-shell",
	],
};

/** Which of the full browsers stands for `chrome` when several are there. */
const preference = ["chrome", "chromium", "edge", "brave"] as const;

export function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		// A folder may be "executed" too.
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/** The executable of this family; undefined when this machine has none. */
export function findFamily(family: BrowserFamily): string | undefined {
	return places[family].find(isExecutable);
}

/** The full browser that `chrome` stands for; undefined when this machine has none. */
export function findBrowser(): string | undefined {
	return preference.map(findFamily).find((executable) => executable !== undefined);
}

/** The family that an executable belongs to, by its path and name. */
export function familyOf(executable: string): BrowserFamily {
	const known = Object.entries(places).find(([, paths]) => paths.includes(executable))?.[0];
	if (/headless[-_]shell/.test(executable)) return "headless-shell";
	switch (known) {
		case "chromium":
		case "edge":
		case "brave":
			return known;
		default:
			return "chrome";
	}
}
