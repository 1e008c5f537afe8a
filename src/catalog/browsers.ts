/** Finds the browsers of this machine: real binaries, not the wrapper scripts and snaps that cannot run in a cage. */
import { accessSync, constants, statSync } from "node:fs";

const fullBrowsers = [
	"/opt/google/chrome/chrome",
	"/usr/lib/chromium/chromium",
	"/usr/lib64/chromium-browser/chromium-browser",
	"/usr/lib/chromium-browser/chromium-browser",
	"/opt/chromium.org/chromium/chromium",
	"/opt/microsoft/msedge/msedge",
	"/opt/brave.com/brave/brave",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const headlessShells = [
	"/usr/lib/chromium/chromium-headless-shell",
	"/opt/chrome-headless-shell/chrome-headless-shell",
];

export function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		// A folder may be "executed" too.
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/** The first full browser found; undefined when this machine has none. */
export function findBrowser(): string | undefined {
	return fullBrowsers.find(isExecutable);
}

/** The first headless shell found: lighter and faster to start, without extensions. */
export function findHeadlessShell(): string | undefined {
	return headlessShells.find(isExecutable);
}
