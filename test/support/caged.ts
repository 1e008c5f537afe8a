/** What the attack tests do again and again with a session's browser and the processes behind it. */
import { readdirSync, readFileSync } from "node:fs";
import type { CdpConnection } from "./cdp.ts";
import { waitFor } from "./wait-for.ts";

/** The names that `file://<folder>/` lists; undefined when it cannot be opened. */
export async function listFolder(
	cdp: CdpConnection,
	page: string,
	folder: string,
): Promise<string[] | undefined> {
	const { errorText } = await cdp.visit(`file://${folder}`, page);
	if (errorText !== undefined) return undefined;
	const names = await cdp.evaluate(
		"[...document.querySelectorAll('#tbody a, tbody tr a')].map((a) => a.textContent)",
		page,
	);
	return [...new Set(JSON.parse(JSON.stringify(names)).map(String))].map((name) =>
		String(name).replace(/\/$/, ""),
	);
}

/** A browser context whose downloads go to `folder` in the cage. Answers the page that `download` wants. */
export async function downloadingPage(cdp: CdpConnection, folder: string): Promise<string> {
	const browserContextId = String((await cdp.send("Target.createBrowserContext"))["browserContextId"]);
	const settings = { behavior: "allow", downloadPath: folder, eventsEnabled: true, browserContextId };
	await cdp.send("Browser.setDownloadBehavior", settings);
	return cdp.newPage(browserContextId);
}

/** Downloads `content` under `name` and answers how it ended. */
export async function download(
	cdp: CdpConnection,
	page: string,
	name: string,
	content: string,
): Promise<string> {
	let state = "inProgress";
	const ended = (async () => {
		while (state === "inProgress") state = String((await cdp.event("Browser.downloadProgress"))["state"]);
	})();
	const link = {
		href: `data:application/octet-stream;base64,${Buffer.from(content).toString("base64")}`,
		download: name,
	};
	await cdp.evaluate(
		`void Object.assign(document.createElement("a"), ${JSON.stringify(link)}).click()`,
		page,
	);
	await ended;
	return state;
}

/**
 * Hands a file of the cage (as it sees it) to a page's `<input type=file>` and answers what the page can read of it: the
 * text, or "unreadable".
 */
export async function readThroughInput(cdp: CdpConnection, page: string, path: string): Promise<string> {
	await cdp.evaluate("document.body.innerHTML = '<input type=file id=f>'", page);
	const { root } = JSON.parse(JSON.stringify(await cdp.send("DOM.getDocument", {}, page)));
	const { nodeId } = await cdp.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#f" }, page);
	await cdp.send("DOM.setFileInputFiles", { files: [path], nodeId }, page);
	const read = "document.querySelector('#f').files[0].text().catch(() => 'unreadable')";
	return String(await cdp.evaluate(read, page));
}

export interface CagedProcess {
	readonly pid: number;
	readonly commandLine: string;
	/** A field of /proc/<pid>/status. */
	status(field: string): string;
}

function readProcess(pid: number): { commandLine: string; statusText: string } | undefined {
	try {
		const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
		return { commandLine, statusText: readFileSync(`/proc/${pid}/status`, "utf8") };
	} catch {
		return undefined;
	}
}

/** Every process of a session: the ones whose command line names its folder, and all that descend from them. */
export function processesOfSession(folder: string): CagedProcess[] {
	const parents = new Map<number, number>();
	const found = new Map<number, CagedProcess>();
	const roots = new Set<number>();
	for (const pid of readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number)) {
		const process = readProcess(pid);
		if (process === undefined) continue;
		const status = (field: string) =>
			new RegExp(`^${field}:[ \\t]*(.*)$`, "m").exec(process.statusText)?.[1]?.trim() ?? "";
		parents.set(pid, Number(status("PPid")));
		found.set(pid, { pid, commandLine: process.commandLine, status });
		if (process.commandLine.includes(`${folder}/`)) roots.add(pid);
	}
	const descends = (pid: number): boolean => {
		for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at))
			if (roots.has(at)) return true;
		return false;
	};
	return [...found.values()].filter(({ pid }) => descends(pid));
}

/** The browser's own process of a session, once it is there. */
export async function browserProcess(folder: string): Promise<CagedProcess> {
	const find = () =>
		processesOfSession(folder).find(
			({ commandLine }) =>
				commandLine.includes("--user-data-dir=") &&
				!commandLine.includes("--type=") &&
				!commandLine.startsWith("bwrap"),
		);
	await waitFor(() => find() !== undefined, "the browser's process is there");
	const found = find();
	if (found === undefined) throw new Error("the browser's process is gone again");
	return found;
}
