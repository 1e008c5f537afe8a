import pino from "pino";
import pretty from "pino-pretty";

/** One line per event, fields first: `log.info({ session: id }, "browser ready")`. No secret is ever a field. */
export type Log = pino.Logger;

/** Lines for people when standard error is a terminal, JSON lines otherwise (journald, containers). */
export function createLog(level = process.env["BARREL_LOG_LEVEL"] ?? "info"): Log {
	const options: pino.LoggerOptions = {
		level,
		base: null,
		timestamp: pino.stdTimeFunctions.isoTime,
		formatters: { level: (label) => ({ level: label }) },
	};
	if (!process.stderr.isTTY) return pino(options, pino.destination({ fd: 2, sync: true }));
	return pino(options, pretty({ destination: 2, sync: true, colorize: true, translateTime: "HH:MM:ss" }));
}

export const silentLog: Log = pino({ level: "silent" });
