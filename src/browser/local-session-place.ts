/** What one session has on this machine: its folder, its control connection, its cage and browser. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { messageOf } from "../base/errors.ts";
import { hmac, sha256 } from "../base/secret.ts";
import { orAborted, sleep } from "../base/wait.ts";
import type { BrowserExit, BrowserRequest, RunningBrowser, SessionPlace } from "../sessions/ports.ts";
import { PROTOCOL_VERSION, type ShimOrders } from "../shim/protocol.ts";
import { describeExit, LAST_OUTPUT_CHARACTERS, readShimExit, readSmallFile } from "./browser-exit.ts";
import { browserMajorVersion } from "./browser-version.ts";
import { cageCommand, cagedEnvironment, inCage, shimProgram } from "./cage.ts";
import { CdpClient } from "./cdp-client.ts";
import { chromeFlags } from "./chrome-flags.ts";
import { ControlServer } from "./control-server.ts";
import type { PlaceOptions } from "./host-options.ts";
import { endProcessesOf } from "./processes.ts";
import { SessionFolder } from "./session-folder.ts";
import { uncagedCommand, uncagedEnvironment } from "./uncaged.ts";

const OUTERMOST_END_MS = 5_000;

export class LocalSessionPlace implements SessionPlace {
	readonly folder: SessionFolder;
	readonly #sessionId: string;
	readonly #uid: number | undefined;
	readonly #options: PlaceOptions;
	readonly #control: ControlServer;
	readonly #secret: string;
	readonly #onGone: () => void;
	#warm: RunningBrowser | undefined;
	/** Resolves when the outermost process is gone; at once when none was started. */
	#gone: Promise<unknown> = Promise.resolve();

	constructor(sessionId: string, uid: number | undefined, options: PlaceOptions, onGone: () => void) {
		this.#sessionId = sessionId;
		this.#uid = uid;
		this.#options = options;
		this.#onGone = onGone;
		this.#secret = hmac(options.secret, `shim:${sessionId}`);
		this.folder = new SessionFolder(options.runDir, sessionId);
		this.#control = new ControlServer({
			socketPath: this.folder.controlSocket,
			sessionId,
			secret: this.#secret,
		});
	}

	get egressSocketPath(): string {
		return this.folder.egressSocket;
	}

	async start(request: BrowserRequest, signal: AbortSignal): Promise<RunningBrowser> {
		if (this.#warm === undefined) return this.#launch(request, signal);
		if (request.url !== null)
			await this.#untilTrouble(this.#prepare(request, this.#warm.cdp, signal), this.#warm.exited, signal);
		return this.#warm;
	}

	/** Starts the browser before anybody asks for it; `start` then only opens the url. */
	async warmUp(request: BrowserRequest, signal: AbortSignal): Promise<RunningBrowser> {
		this.#warm = await this.#launch(request, signal);
		return this.#warm;
	}

	async #launch(request: BrowserRequest, signal: AbortSignal): Promise<RunningBrowser> {
		await this.#control.listen();
		const majorVersion = await browserMajorVersion(request.image.executable);
		signal.throwIfAborted();
		const shimGone = this.#spawn(request, majorVersion);
		this.#gone = shimGone;
		const exited = Promise.race([this.#control.exited.then(describeExit), shimGone]);
		const { cdpPath } = await this.#untilTrouble(this.#control.ready, exited, signal);
		this.folder.claimCdpSocket();
		if (this.#options.isolation === "cage") this.folder.sealOutDir();
		const cdp = { socketPath: this.folder.cdpSocket, path: cdpPath };
		await this.#untilTrouble(this.#prepare(request, cdp, signal), exited, signal);
		return { cdp, exited };
	}

	/** What `work` answers, unless the browser or the session ends first. */
	#untilTrouble<T>(work: Promise<T>, exited: Promise<BrowserExit>, signal: AbortSignal): Promise<T> {
		const early = exited.then((exit) => Promise.reject(new Error(exit.detail)));
		return orAborted(Promise.race([work, early]), signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const { log } = this.#options;
		this.#control[Symbol.dispose]();
		try {
			await endProcessesOf(this.folder.path);
			// A dying process has no command line any more; the outermost one is gone only after all others.
			await Promise.race([this.#gone, sleep(OUTERMOST_END_MS)]);
			await this.folder.remove();
		} catch (error) {
			log.error({ session: this.#sessionId, err: error }, "the session's leftovers could not be removed");
		} finally {
			this.#onGone();
		}
	}

	/** The window's flags fit the first time or never: once seen to, the next browser of the kind need not be asked. */
	async #prepare(request: BrowserRequest, cdp: RunningBrowser["cdp"], signal: AbortSignal): Promise<void> {
		const { image, screen, url } = request;
		const { fittingWindows } = this.#options;
		const kind = [image.executable, ...image.flags, screen.width, screen.height].join(" ");
		const isKnownToFit = fittingWindows.has(kind);
		if (isKnownToFit && url === null) return;
		await using client = await CdpClient.connect(cdp);
		const tab = await client.attachToFirstTab();
		if (tab === undefined) return;
		if (!isKnownToFit && (await client.fit(tab, screen))) fittingWindows.add(kind);
		if (url !== null) await client.open(url, tab, signal);
		await client.detach(tab);
	}

	/** Resolves when the outermost process is gone, whether or not the shim could say why. */
	#spawn(request: BrowserRequest, majorVersion: string): Promise<BrowserExit> {
		const { isolation, self } = this.#options;
		const { executable } = request.image;
		const place = { self, inDir: this.folder.inDir, outDir: this.folder.outDir, executable, uid: this.#uid };
		const [program = "", ...args] =
			isolation === "cage"
				? cageCommand({ ...place, canSizeTmpfs: this.#options.canSizeTmpfs, program: shimProgram })
				: uncagedCommand({ self, uid: this.#uid, folder: this.folder.path });
		const log = openSync(this.folder.log, "a", 0o600);
		const child = spawn(program, args, {
			stdio: ["pipe", log, log],
			env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin:/usr/sbin:/sbin" },
			detached: true,
		});
		closeSync(log);
		const gone = Promise.withResolvers<BrowserExit>();
		child.on("error", (error) => gone.resolve({ kind: "failed", detail: `${program}: ${messageOf(error)}` }));
		child.on("exit", (code, signal) => {
			const told = readShimExit(this.folder.outDir);
			if (told !== undefined) return gone.resolve(describeExit(told));
			const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
			gone.resolve({ kind: "failed", detail: `the session's shim ended by ${how}: ${this.#lastOutput()}` });
		});
		child.stdin?.on("error", () => {});
		child.stdin?.end(JSON.stringify(this.#orders(request, majorVersion)));
		child.unref();
		return gone.promise;
	}

	#orders(request: BrowserRequest, majorVersion: string): ShimOrders {
		const { image, screen } = request;
		const isCaged = this.#options.isolation === "cage";
		const own = { inDir: this.folder.inDir, outDir: this.folder.outDir };
		return {
			version: PROTOCOL_VERSION,
			sessionId: this.#sessionId,
			secret: this.#secret,
			executable: image.executable,
			flags: chromeFlags({
				executable: image.executable,
				majorVersion,
				screen,
				imageFlags: image.flags,
				proxyAlias: isCaged ? undefined : `gw-${sha256(this.#secret).slice(0, 16)}`,
				sandbox: this.#options.sandbox,
			}),
			...(isCaged
				? { environment: cagedEnvironment, profileDir: inCage.profile, inDir: inCage.in, outDir: inCage.out }
				: { environment: uncagedEnvironment(own.outDir), profileDir: `${own.outDir}/profile`, ...own }),
			debugPort: isCaged ? inCage.debugPort : 0,
			proxyPort: isCaged ? inCage.proxyPort : 0,
			orphanTimeoutMs: this.#options.orphanTimeoutMs,
		};
	}

	#lastOutput(): string {
		return readSmallFile(this.folder.log)?.trim().slice(-LAST_OUTPUT_CHARACTERS) ?? "";
	}
}
