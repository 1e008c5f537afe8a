/** A real daemon: the compiled binary with folders of its own, as root or as an ordinary user. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { type Api, createApi } from "./api.ts";
import { waitFor } from "./wait-for.ts";

const run = promisify(execFile);

export type RunAs = "root" | "ordinary user";

/** The users that a test can run daemons as on this machine. */
export const runAsChoices: readonly RunAs[] =
	process.getuid?.() === 0 ? ["root", "ordinary user"] : ["ordinary user"];

export interface TestDaemonOptions {
	as?: RunAs;
	/** Further TOML, for instance `[sessions]\nidle_timeout = "1s"`. The section [server] is the test's. */
	config?: string;
	/** Single targets that sessions may reach, such as `127.0.0.1:8080`. */
	allow?: readonly string[];
	environment?: Record<string, string>;
}

export interface TestDaemon extends AsyncDisposable {
	readonly url: string;
	readonly pid: number;
	readonly folder: string;
	readonly runDir: string;
	readonly dataDir: string;
	readonly binary: string;
	/** Of an account with the plan `team`. */
	readonly key: string;
	readonly api: Api;
	/** What the daemon has logged so far. */
	log(): string;
	/** Runs `barrel …` beside the daemon, with the same configuration and user. */
	cli(...args: string[]): Promise<string>;
	/** A further account with a key. */
	addAccount(email: string, plan?: string): Promise<string>;
	/** Sends the signal and resolves with the exit code. */
	end(signal: NodeJS.Signals): Promise<number | null>;
	/** Starts a daemon on the same folders again after its end. */
	restart(): Promise<void>;
}

function toml(folder: string, { config = "", allow = [] }: TestDaemonOptions): string {
	return [
		"[server]",
		'listen = "127.0.0.1:0"',
		`data_dir = "${folder}/data"`,
		`run_dir = "${folder}/run"`,
		"[egress]",
		`allow = ${JSON.stringify(allow)}`,
		config,
	].join("\n");
}

/** Starts a daemon and an account `owner@example.org`; disposing ends both and fails when anything is left behind. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
	const binary = inject("binary");
	const ordinaryUid = inject("ordinaryUid");
	const uid = options.as === "root" ? undefined : ordinaryUid;
	const folder = mkdtempSync("/tmp/bt-");
	if (uid !== undefined) chownSync(folder, uid, uid);
	// Sessions of a root daemon are other users; without a cage they have to find their way to their folders.
	chmodSync(folder, 0o711);
	const configFile = join(folder, "config.toml");
	writeFileSync(configFile, toml(folder, options));
	const prefix =
		uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
	const environment = {
		PATH: process.env["PATH"] ?? "/usr/bin:/bin:/usr/sbin:/sbin",
		HOME: folder,
		// Tests ask more often than people do; those of the rates set their own.
		BARREL__LIMITS__REQUESTS_PER_SECOND: "100000",
		BARREL__LIMITS__BURST: "100000",
		BARREL__LIMITS__STARTS_PER_MINUTE: "1000",
		// Where processes and folders are counted; the tests of spares set their own.
		BARREL__SESSIONS__SPARES: "0",
		...options.environment,
	};
	const command = (args: readonly string[]) => {
		const [program = "", ...rest] = [...prefix, binary, ...args];
		return { program, args: rest };
	};
	const cli = async (...args: string[]): Promise<string> => {
		const called = command([...args, "--config", configFile]);
		return (await run(called.program, called.args, { env: environment, cwd: folder })).stdout;
	};
	const addAccount = async (email: string, plan = "team"): Promise<string> => {
		await cli("account", "add", "--email", email, "--plan", plan, "--json");
		const added: { key: string } = JSON.parse(
			await cli("key", "add", "--account", email, "--name", "test", "--json"),
		);
		return added.key;
	};

	let child: ChildProcess;
	let log = "";
	let url = "";
	let exit: Promise<number | null>;
	const launch = async (): Promise<void> => {
		const called = command(["serve", "--config", configFile]);
		const started = spawn(called.program, called.args, {
			env: environment,
			cwd: folder,
			stdio: ["ignore", "ignore", "pipe"],
		});
		child = started;
		const isUp = Promise.withResolvers<string>();
		let sinceLaunch = "";
		started.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			log += chunk;
			sinceLaunch += chunk;
			const address = /"address":"([^"]+)"/.exec(sinceLaunch)?.[1];
			if (address !== undefined) isUp.resolve(address);
		});
		exit = new Promise((resolve) => started.once("exit", resolve));
		void exit.then((code) => isUp.reject(new Error(`the daemon ended with ${code}: ${sinceLaunch}`)));
		url = await isUp.promise;
	};
	const end = (signal: NodeJS.Signals): Promise<number | null> => {
		child.kill(signal);
		return exit;
	};
	try {
		const key = await addAccount("owner@example.org");
		await launch();
		return {
			get url() {
				return url;
			},
			get pid() {
				return child.pid ?? 0;
			},
			get api() {
				return createApi(url, key);
			},
			folder,
			runDir: join(folder, "run"),
			dataDir: join(folder, "data"),
			binary,
			key,
			log: () => log,
			cli,
			addAccount,
			end,
			restart: launch,
			[Symbol.asyncDispose]: async () => {
				if (child.exitCode === null && child.signalCode === null) await end("SIGINT");
				const left = processesNaming(folder);
				const folders = sessionFolders(join(folder, "run"));
				for (const pid of left) process.kill(pid, "SIGKILL");
				await waitFor(() => processesNaming(folder).length === 0, "the test's processes are gone");
				rmSync(folder, { recursive: true, force: true });
				if (left.length + folders.length > 0)
					throw new Error(`left behind: processes ${left.join(", ")}, folders ${folders.join(", ")}\n${log}`);
			},
		};
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		throw error;
	}
}

/** The pids whose command line names something below the folder. */
export function processesNaming(folder: string): number[] {
	return readdirSync("/proc")
		.filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
		.map(Number)
		.filter((pid) => {
			try {
				return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${folder}/`);
			} catch {
				return false;
			}
		});
}

export function sessionFolders(runDir: string): string[] {
	try {
		return readdirSync(runDir).filter((name) => name.startsWith("brl-v-v7-"));
	} catch {
		return [];
	}
}

/** How many descriptors a process has open. */
export function openDescriptors(pid: number): number {
	return readdirSync(`/proc/${pid}/fd`).length;
}
