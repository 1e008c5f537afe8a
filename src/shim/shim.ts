/**
 * The hidden command `barrel shim`: the one process per session that owns the browser. It lives inside the session's cage
 * and outlives the daemon, so that a daemon can be restarted while sessions go on.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf } from "../base/errors.ts";
import { type BrowserEnd, type BrowserProcess, launchBrowser } from "./browser-process.ts";
import { ControlLink } from "./control-link.ts";
import { PROTOCOL_VERSION, type ShimOrders, sessionFiles } from "./protocol.ts";
import { openRelay } from "./relay.ts";

const ordersSchema = Type.Object({
	version: Type.Literal(PROTOCOL_VERSION),
	sessionId: Type.String(),
	secret: Type.String(),
	executable: Type.String(),
	flags: Type.Array(Type.String()),
	environment: Type.Record(Type.String(), Type.String()),
	profileDir: Type.String(),
	inDir: Type.String(),
	outDir: Type.String(),
	debugPort: Type.Integer(),
	proxyPort: Type.Integer(),
	orphanTimeoutMs: Type.Number(),
});

async function readOrders(): Promise<ShimOrders> {
	return Value.Parse(ordersSchema, JSON.parse(await Bun.stdin.text()));
}

class Shim {
	readonly #orders: ShimOrders;
	readonly #link: ControlLink;
	#browser: BrowserProcess | undefined;

	constructor(orders: ShimOrders) {
		this.#orders = orders;
		this.#link = new ControlLink({
			socketPath: join(orders.inDir, sessionFiles.controlSocket),
			sessionId: orders.sessionId,
			secret: orders.secret,
			orphanTimeoutMs: orders.orphanTimeoutMs,
			onEnd: () => {
				this.#browser?.kill();
				process.exit(0);
			},
		});
	}

	async run(): Promise<void> {
		const { inDir, outDir, proxyPort, flags } = this.#orders;
		const egress = await openRelay({ port: proxyPort }, () => ({
			path: join(inDir, sessionFiles.egressSocket),
		}));
		this.#browser = await launchBrowser({
			executable: this.#orders.executable,
			flags: flags.map((flag) => flag.replaceAll("{proxyPort}", String(egress.port))),
			environment: this.#orders.environment,
			profileDir: this.#orders.profileDir,
			debugPort: this.#orders.debugPort,
			onEnd: (end) => void this.#report(end),
		});
		const { debugPort, cdpPath, pid } = this.#browser;
		await openRelay({ path: join(outDir, sessionFiles.cdpSocket) }, () => ({ port: debugPort }));
		this.#write(sessionFiles.shimState, {
			version: PROTOCOL_VERSION,
			pid: process.pid,
			browserPid: pid,
			cdpPath,
		});
		this.#link.tell({ type: "ready", cdpPath, browserPid: pid });
	}

	/** The browser's end is the shim's end: it leaves the news behind, on disk and with the daemon. */
	async #report(end: BrowserEnd): Promise<void> {
		this.#write(sessionFiles.exit, end);
		this.#link.tell({ type: "exited", ...end });
		await this.#link.flushed();
		process.exit(0);
	}

	#write(name: string, content: object): void {
		try {
			writeFileSync(join(this.#orders.outDir, name), JSON.stringify(content));
		} catch (error) {
			process.stderr.write(`barrel shim: ${name} could not be written: ${messageOf(error)}\n`);
		}
	}
}

export async function runShim(): Promise<void> {
	process.umask(0o077);
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
	try {
		await new Shim(await readOrders()).run();
	} catch (error) {
		process.stderr.write(`barrel shim: ${messageOf(error)}\n`);
		process.exit(1);
	}
}
