/** Starts Chrome by chrome-launcher and follows it until it is gone. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Launcher } from "chrome-launcher";
import { sleep } from "../base/wait.ts";

const POLL_MS = 5;
const LAST_OUTPUT_CHARACTERS = 2_000;

export interface BrowserProcess {
	readonly pid: number;
	/** The path of the browser's own CDP address, `/devtools/browser/<uuid>`. */
	readonly cdpPath: string;
	readonly debugPort: number;
	kill(): void;
}

export interface BrowserEnd {
	code: number | null;
	signal: string | null;
	/** The last of what Chrome wrote to its standard error. */
	output: string;
}

export interface BrowserLaunch {
	executable: string;
	flags: readonly string[];
	environment: Record<string, string>;
	profileDir: string;
	debugPort: number;
	/** Called once, also when Chrome ends before it was ready. */
	onEnd(end: BrowserEnd): void;
}

function lastOutput(profileDir: string): string {
	try {
		return readFileSync(join(profileDir, "chrome-err.log"), "utf8").slice(-LAST_OUTPUT_CHARACTERS);
	} catch {
		return "";
	}
}

async function browserPath(debugPort: number): Promise<string> {
	const answer: unknown = await (await fetch(`http://127.0.0.1:${debugPort}/json/version`)).json();
	if (typeof answer !== "object" || answer === null || !("webSocketDebuggerUrl" in answer))
		throw new Error("the browser names no CDP address");
	return new URL(String(answer.webSocketDebuggerUrl)).pathname;
}

/** Resolves when the browser answers CDP. Rejects when it cannot be run at all or ends before that. */
export async function launchBrowser(launch: BrowserLaunch): Promise<BrowserProcess> {
	mkdirSync(launch.profileDir, { recursive: true });
	const gone = Promise.withResolvers<never>();
	gone.promise.catch(() => {});
	let child: ChildProcess | undefined;
	const launcher = new Launcher(
		{
			chromePath: launch.executable,
			chromeFlags: [...launch.flags],
			userDataDir: launch.profileDir,
			port: launch.debugPort,
			envVars: launch.environment,
			ignoreDefaultFlags: true,
			handleSIGINT: false,
			logLevel: "silent",
			connectionPollInterval: POLL_MS,
			maxConnectionRetries: Number.POSITIVE_INFINITY,
		},
		{
			// chrome-launcher hands its child out only once it is ready; one that ends before that has to be seen too.
			spawn: new Proxy(spawn, {
				apply: (target, thisArgument, argumentList) => {
					const started: ChildProcess = Reflect.apply(target, thisArgument, argumentList);
					child = started;
					started.on("error", (error) => gone.reject(error));
					started.on("exit", (code, signal) => {
						launch.onEnd({ code, signal, output: lastOutput(launch.profileDir) });
						gone.reject(new Error(`the browser ended (code ${code}, signal ${signal}) before it was ready`));
					});
					return started;
				},
			}),
		},
	);
	await Promise.race([launcher.launch(), gone.promise]);
	const debugPort = launcher.port ?? launch.debugPort;
	for (;;) {
		try {
			const cdpPath = await Promise.race([browserPath(debugPort), gone.promise]);
			return { pid: child?.pid ?? 0, cdpPath, debugPort, kill: () => launcher.kill() };
		} catch (error) {
			if (child === undefined || child.exitCode !== null || child.signalCode !== null) throw error;
			await sleep(POLL_MS);
		}
	}
}
