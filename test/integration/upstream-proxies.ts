/** Runs one of the proxies of upstream-recipes.ts and ends it again. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseUpstream, type Upstream } from "../../src/egress/exit.ts";
import { waitFor } from "../support/wait-for.ts";
import { findProgram } from "./upstream-certificates.ts";
import { type ProxyName, recipeOf, user } from "./upstream-recipes.ts";

export interface RealProxy extends AsyncDisposable {
	readonly port: number;
	/** With the right password, or that one. Without any where the proxy knows none. */
	upstream(secret?: string, host?: string): Upstream;
}

export async function startProxy(name: ProxyName): Promise<RealProxy> {
	const recipe = recipeOf(name);
	const program = findProgram(recipe.program);
	if (program === undefined) throw new Error(`${recipe.program} is missing`);
	const folder = mkdtempSync(join(tmpdir(), "bt-proxy-"));
	// Squid and dante leave root behind before they read all of it.
	chmodSync(folder, 0o755);
	const port = await freePort();
	const child = spawn(program, recipe.arguments(folder, port), { stdio: "ignore", cwd: folder });
	const stop = async () => {
		await end(child);
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		await waitFor(() => child.exitCode !== null || answers(port), `${name} listens`);
		if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
	} catch (error) {
		await stop();
		throw error;
	}
	return {
		port,
		upstream(secret = recipe.password, host = "127.0.0.1") {
			const login = secret === undefined ? "" : `${user}:${encodeURIComponent(secret)}@`;
			const upstream = parseUpstream(`${recipe.protocol}://${login}${host}:${port}`);
			if (upstream === undefined) throw new Error("the test's own URL is malformed");
			return upstream;
		},
		[Symbol.asyncDispose]: stop,
	};
}

async function end(child: ChildProcess): Promise<void> {
	const isGone = () => child.exitCode !== null || child.signalCode !== null;
	if (isGone()) return;
	child.kill("SIGTERM");
	await waitFor(isGone, "the proxy has ended", 5_000).catch(() => child.kill("SIGKILL"));
	await waitFor(isGone, "the proxy has been killed");
}

async function freePort(): Promise<number> {
	const server = net.createServer();
	const listening = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", listening.resolve);
	await listening.promise;
	const address = server.address();
	const closed = Promise.withResolvers<void>();
	server.close(() => closed.resolve());
	await closed.promise;
	if (address === null || typeof address === "string") throw new Error("no port");
	return address.port;
}

async function answers(port: number): Promise<boolean> {
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const socket = net.connect(port, "127.0.0.1", () => resolve(true));
	socket.on("error", () => resolve(false));
	const isThere = await promise;
	socket.destroy();
	return isThere;
}
