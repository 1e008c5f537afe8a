/** The composition root: builds the daemon from its configuration and takes it down again. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AccountStore } from "./accounts/account-store.ts";
import { AppKeyStore } from "./accounts/app-key-store.ts";
import { createApi } from "./api/app.ts";
import { authenticate } from "./api/authenticate.ts";
import { systemClock } from "./base/clock.ts";
import { OperatorError } from "./base/errors.ts";
import type { Log } from "./base/log.ts";
import { newSecret } from "./base/secret.ts";
import { version } from "./base/version.ts";
import { LocalBrowserHost } from "./browser/browser-host.ts";
import { checkCage } from "./browser/cage-check.ts";
import { createRunDir } from "./browser/session-folder.ts";
import { Images } from "./catalog/images.ts";
import { cdpRoute } from "./cdp/gateway.ts";
import type { Config } from "./config/config.ts";
import { parseAllowList } from "./egress/allow-list.ts";
import { openGateway } from "./egress/gateway.ts";
import { openHttpServer } from "./http/server.ts";
import { SessionManager } from "./sessions/session-manager.ts";
import { SessionStore } from "./sessions/session-store.ts";
import { SessionTokens } from "./sessions/session-token.ts";
import { lockDataDir } from "./store/data-dir-lock.ts";
import { openStore } from "./store/database.ts";
import { getOrCreateSetting } from "./store/settings.ts";
import { createWeb } from "./web/routes.ts";

const REAPER_MS = 1_000;

export interface Daemon {
	readonly publicUrl: string;
	/** Ends every session, then everything else. */
	stop(): Promise<void>;
	/** Leaves browsers and rows to the successor: sockets close with 1012. */
	release(): Promise<void>;
}

/** The compiled binary that sessions run as their shim: this very file, or the last build when run from the sources. */
function shimBinary(): string {
	if (Bun.main.startsWith("/$bunfs/")) return process.execPath;
	const built = join(import.meta.dir, "..", "dist", "barrel");
	if (existsSync(built)) return built;
	throw new OperatorError("run scripts/build first: sessions run the compiled binary");
}

async function openBrowserHost(
	{ server, sessions }: Config,
	secret: string,
	log: Log,
): Promise<LocalBrowserHost> {
	const self = shimBinary();
	createRunDir(server.runDir);
	const { isolation, sandbox, firstUid } = sessions;
	if (isolation === "none")
		log.warn(
			"sessions are NOT isolated (sessions.isolation = none): a browser can read this user's files and reach its network",
		);
	if (!sandbox)
		log.warn(
			"Chrome's own sandbox is OFF (sessions.sandbox = false): a page that breaks out of its tab is not held",
		);
	const uid = process.getuid?.() === 0 ? firstUid : undefined;
	const abilities =
		isolation === "cage" ? await checkCage({ self, runDir: server.runDir, uid }) : { canSizeTmpfs: false };
	return new LocalBrowserHost({ ...sessions, ...abilities, runDir: server.runDir, self, secret, log });
}

/** Throws an OperatorError when the daemon cannot run as configured. */
export async function startDaemon(config: Config, log: Log): Promise<Daemon> {
	using opened = new DisposableStack();
	const { server, egress } = config;
	opened.use(lockDataDir(server.dataDir));
	const store = opened.use(openStore({ dataDir: server.dataDir }));
	const clock = systemClock;
	const secret = getOrCreateSetting(store, "session_secret", newSecret);
	const accounts = new AccountStore(store, config.plans);
	const appKeys = new AppKeyStore(store, accounts);
	const images = new Images(config.images);
	const tokens = new SessionTokens(secret);
	const allow = parseAllowList(egress.allow);
	const host = await openBrowserHost(config, secret, log);
	const sessions = new SessionManager({
		store: new SessionStore(store),
		host,
		tokens,
		clock,
		log,
		limits: config.sessions,
		imageOf: (imageId) => images.getUsable(imageId),
		poolsOf: (accountId) =>
			accounts
				.activeSubscriptions(accountId, clock.now())
				.filter(({ plan }) => plan.features.includes("programmatic_access"))
				.map(({ id, plan }) => ({ subscriptionId: id, runningSessionLimit: plan.runningSessionLimit })),
		openEgress: (socketPath) => openGateway({ socketPath, allow, log }),
	});
	await sessions.recover();
	if (images.usableIds().length === 0)
		log.warn("no browser was found on this machine; install Chromium or Chrome");
	const view = { publicUrl: server.publicUrl, tokens };
	const api = createApi(
		{
			authenticate: (request) => authenticate(request, { accounts, appKeys, clock }),
			sessions,
			images,
			locations: config.locations.map((location) => ({ ...location, defaultCity: location.default })),
			residential: {
				configured: config.residential !== undefined,
				countries: config.residential === undefined ? [] : config.residential.countries,
			},
			view,
		},
		log,
	);
	const web = createWeb(version);
	const restart = new AbortController();
	const http = await openHttpServer({
		host: server.host,
		port: server.port,
		tls: server.tls,
		fetch: (request) =>
			new URL(request.url).pathname.startsWith("/v8") ? api.fetch(request) : web.fetch(request),
		upgrades: [cdpRoute({ sessions, restart: restart.signal, log })],
		log,
	});
	if (server.port === 0) view.publicUrl = server.publicUrl.replace(/:0$/, `:${http.port}`);
	const reaper = setInterval(() => {
		try {
			sessions.tick();
		} catch (error) {
			log.error({ err: error }, "the reaper's round failed");
		}
	}, REAPER_MS);
	const resources = opened.move();
	const close = async (): Promise<void> => {
		clearInterval(reaper);
		await http.close();
		resources.dispose();
	};
	return {
		publicUrl: view.publicUrl,
		stop: async () => {
			await sessions.endAll();
			await close();
		},
		release: async () => {
			restart.abort();
			await close();
		},
	};
}
