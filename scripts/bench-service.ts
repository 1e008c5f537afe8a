/** A daemon of its own for a measurement, with an account and a key, on folders that go with it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const binary = join(import.meta.dir, "..", "dist", "barrel");

export interface BenchService extends AsyncDisposable {
	readonly url: string;
	readonly headers: { authorization: string };
}

interface BenchServiceOptions {
	/** Browsers that wait. */
	spares: number;
	/** Gets the data folder with its database before the daemon runs. */
	prepare?(dataDir: string): void;
}

export async function startBenchService({ spares, prepare }: BenchServiceOptions): Promise<BenchService> {
	const folder = mkdtempSync("/tmp/bench-");
	const config = join(folder, "config.toml");
	const limits = ["requests_per_second", "burst", "starts_per_minute", "starts_per_hour", "starts_per_day"];
	writeFileSync(
		config,
		[
			...["[server]", 'listen = "127.0.0.1:0"', `data_dir = "${folder}/data"`, `run_dir = "${folder}/run"`],
			...["[sessions]", `spares = ${spares}`],
			...["[limits]", ...limits.map((limit) => `${limit} = 1000000`)],
		].join("\n"),
	);
	const cli = async (...args: string[]): Promise<{ key: string }> =>
		JSON.parse(await new Response(Bun.spawn([binary, ...args, "--config", config, "--json"]).stdout).text());
	await cli("account", "add", "--email", "bench@localhost");
	const { key } = await cli("key", "add", "--account", "bench@localhost", "--name", "bench");
	prepare?.(join(folder, "data"));
	const daemon = Bun.spawn([binary, "serve", "--config", config], { stderr: "pipe" });
	const decoder = new TextDecoder();
	let log = "";
	let url = "";
	for await (const chunk of daemon.stderr) {
		log += decoder.decode(chunk);
		url = /"address":"([^"]+)"/.exec(log)?.[1] ?? "";
		if (url !== "") break;
	}
	if (url === "") throw new Error(`the daemon did not start: ${log}`);
	return {
		url,
		headers: { authorization: `Bearer ${key}` },
		[Symbol.asyncDispose]: async () => {
			daemon.kill("SIGINT");
			await daemon.exited;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export function median(figures: readonly number[]): number {
	return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
