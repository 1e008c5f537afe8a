import { createLog } from "../base/log.ts";
import { version } from "../base/version.ts";
import type { Config } from "../config/config.ts";
import { startDaemon } from "../daemon.ts";

/** Runs the daemon until SIGINT (ends every session) or SIGTERM (leaves them to a successor). */
export async function serve(config: Config, { file }: { file: string | undefined }): Promise<void> {
	const log = createLog();
	process.on("unhandledRejection", (error) =>
		log.error({ err: error }, "a promise was rejected and nobody looked"),
	);
	process.on("uncaughtException", (error) =>
		log.error({ err: error }, "an error was thrown and nobody caught it"),
	);
	const daemon = await startDaemon(config, log);
	log.info(
		{ address: daemon.publicUrl, version, config: file ?? "defaults", dataDir: config.server.dataDir },
		"barrel is listening",
	);
	// For a parent that waits for it, as scripts/start does.
	process.send?.({ address: daemon.publicUrl });
	const ended = Promise.withResolvers<number>();
	let isEnding = false;
	const end = (how: () => Promise<void>, words: string) => () => {
		if (isEnding) process.exit(1);
		isEnding = true;
		log.info(words);
		how().then(
			() => ended.resolve(0),
			(error) => {
				log.error({ err: error }, "the daemon did not close cleanly");
				ended.resolve(1);
			},
		);
	};
	process.on("SIGINT", end(daemon.stop, "ending every session"));
	process.on("SIGTERM", end(daemon.release, "closing; browsers are left for the next daemon"));
	process.exit(await ended.promise);
}
