/**
 * The one folder that holds everything a session leaves on this machine. `in/` is the daemon's (the cage sees it read-only),
 * `out/` is the cage's. What the daemon dials is first moved out of the cage's reach, so that nothing in there can point
 * the daemon at another socket.
 */
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../base/errors.ts";
import { isSessionId } from "../base/ids.ts";
import { sessionFiles } from "../shim/protocol.ts";

const REMOVED_SUFFIX = ".removed";

export class SessionFolder {
	readonly path: string;

	constructor(runDir: string, sessionId: string) {
		this.path = join(runDir, sessionId);
	}

	get inDir(): string {
		return join(this.path, "in");
	}

	get outDir(): string {
		return join(this.path, "out");
	}

	get egressSocket(): string {
		return join(this.inDir, sessionFiles.egressSocket);
	}

	get controlSocket(): string {
		return join(this.inDir, sessionFiles.controlSocket);
	}

	get cdpSocket(): string {
		return join(this.path, sessionFiles.cdpSocket);
	}

	get log(): string {
		return join(this.path, "cage.log");
	}

	/** Makes the folders; `uid` is the real user of the session's processes when it is not the daemon's own. */
	create(uid: number | undefined, isolation: "cage" | "none"): void {
		mkdirSync(this.path, { recursive: true, mode: 0o700 });
		mkdirSync(this.inDir, { recursive: true, mode: 0o755 });
		mkdirSync(this.outDir, { recursive: true, mode: 0o700 });
		chmodSync(this.inDir, 0o755);
		// The shim's last word needs a file that is there before the folder is sealed.
		const exitFile = join(this.outDir, sessionFiles.exit);
		writeFileSync(exitFile, "", { mode: 0o600 });
		if (uid === undefined) return;
		chownSync(exitFile, uid, uid);
		chownSync(this.outDir, uid, uid);
		// Without a cage the session's user has to find its way here itself.
		if (isolation === "none") chownSync(this.path, uid, uid);
	}

	/** Takes the CDP socket that the shim listens on out of the cage's reach. Throws when it is anything but a socket. */
	claimCdpSocket(): void {
		renameSync(join(this.outDir, sessionFiles.cdpSocket), this.cdpSocket);
		if (!lstatSync(this.cdpSocket).isSocket()) throw new Error("the session's CDP socket is no socket");
	}

	/**
	 * Keeps further files out of `out/`, which lies on the host's disk: a client chooses where its downloads go. For a cage
	 * whose shim is ready.
	 */
	sealOutDir(): void {
		if (process.getuid?.() === 0) chownSync(this.outDir, 0, 0);
		chmodSync(this.outDir, 0o555);
	}

	/** Out of the way at once by a rename, then deleted. */
	async remove(): Promise<void> {
		const removed = this.path + REMOVED_SUFFIX;
		try {
			renameSync(this.path, removed);
		} catch (error) {
			if (codeOf(error) !== "ENOENT") throw error;
		}
		try {
			chmodSync(join(removed, "out"), 0o700);
		} catch (error) {
			if (codeOf(error) !== "ENOENT") throw error;
		}
		await rm(removed, { recursive: true, force: true });
	}
}

/** The ids of the sessions that have a folder below `runDir`, half-removed ones included. */
export function sessionsWithFolder(runDir: string): string[] {
	const names = readdirSync(runDir).map((name) => basename(name, REMOVED_SUFFIX));
	return [...new Set(names.filter(isSessionId))];
}

/** Makes the run folder. Other users may pass through but not look around; each session's folder is closed to them. */
export function createRunDir(runDir: string): void {
	mkdirSync(dirname(runDir), { recursive: true });
	mkdirSync(runDir, { recursive: true, mode: 0o711 });
}
