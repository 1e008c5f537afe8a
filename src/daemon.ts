/** The composition root: builds the daemon from its configuration and takes it down again. */
import { existsSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { AccountStore } from "./accounts/account-store.ts";
import { AppKeyStore } from "./accounts/app-key-store.ts";
import { createApi, createApiDocs, tooManyRequests } from "./api/app.ts";
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
import { type AllowList, parseAllowList } from "./egress/allow-list.ts";
import { checkUpstreamHost } from "./egress/exit.ts";
import { openGateway } from "./egress/gateway.ts";
import { exitRoute } from "./egress/upstream-route.ts";
import { rateKey } from "./http/client-ip.ts";
import { RequestRate } from "./http/request-rate.ts";
import { openHttpServer } from "./http/server.ts";
import { checkExits } from "./sessions/exit-choice.ts";
import { IdempotentStarts } from "./sessions/idempotency.ts";
import { SessionManager } from "./sessions/session-manager.ts";
import { SessionStore } from "./sessions/session-store.ts";
import { SessionTokens } from "./sessions/session-token.ts";
import { StartRate } from "./sessions/start-rate.ts";
import { DEFAULT_IMAGE, DEFAULT_SCREEN } from "./sessions/start-request.ts";
import { Starter } from "./sessions/starter.ts";
import { lockDataDir } from "./store/data-dir-lock.ts";
import { openStore } from "./store/database.ts";
import type { Store } from "./store/driver.ts";
import { getOrCreateSetting } from "./store/settings.ts";
import { Allowances } from "./usage/allowance.ts";
import { ByteLedger } from "./usage/byte-ledger.ts";
import { quotaReport } from "./usage/quota-report.ts";
import { usageReport } from "./usage/usage-report.ts";
import type { UsageSources } from "./usage/usage-sources.ts";
import { UsageStore } from "./usage/usage-store.ts";
import { createWeb } from "./web/routes.ts";

const REAPER_MS = 1_000;
const LEDGER_MS = 2_000;
const LITTLE_MEMORY = 2 * 1024 ** 3;
const clock = systemClock;

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

interface Stores {
	store: Store;
	accounts: AccountStore;
	allowances: Allowances;
	ledger: ByteLedger;
	sources: UsageSources;
}

function openStores(store: Store, { plans }: Config): Stores {
	const accounts = new AccountStore(store, plans);
	const sources: UsageSources = {
		usage: new UsageStore(store),
		subscriptionsOf: (accountId, now) => accounts.activeSubscriptions(accountId, now),
	};
	const allowances = new Allowances({ ...sources, plans });
	const ledger = new ByteLedger({
		store,
		now: () => clock.now(),
		residentialBytesLeft: (accountId, now) => allowances.residentialBytesLeft(accountId, now),
	});
	return { store, accounts, allowances, ledger, sources };
}

function createStarter(
	config: Config,
	stores: Stores,
	parts: { images: Images; allow: AllowList; host: LocalBrowserHost },
): Starter {
	const { store, accounts, allowances, ledger } = stores;
	const { startsPerMinute: perMinute, startsPerHour: perHour, startsPerDay: perDay } = config.limits;
	const starts = { perMinute, perHour, perDay };
	const startRate = new StartRate({ store, perAppKey: starts, perAccount: starts });
	return new Starter({
		store: new SessionStore(store),
		idempotentStarts: new IdempotentStarts(store),
		clock,
		lifetimeMs: config.sessions.lifetimeMs,
		exits: config,
		spares: parts.host,
		imageOf: (imageId, mayUseRestricted) => parts.images.getUsable(imageId, mayUseRestricted),
		subscriptionsOf: (accountId) => accounts.activeSubscriptions(accountId, clock.now()),
		allowanceOf: (subscription, now) => allowances.allowanceOf(subscription, now),
		residentialBytesLeft: (accountId, now) => ledger.residentialBytesLeft(accountId, now),
		startDelayMs: ({ appKeyId, accountId }, now) => {
			const decision = startRate.check(appKeyId, accountId, now);
			return decision.allowed ? undefined : decision.retryAfterMs;
		},
		checkUpstream: (upstream) => checkUpstreamHost(upstream, parts.allow),
	});
}

/** Repeats `work` until it is disposed of; what it throws is logged. */
function every(ms: number, what: string, { log, work }: { log: Log; work: () => void }): Disposable {
	const timer = setInterval(() => {
		try {
			work();
		} catch (error) {
			log.error({ err: error }, `${what} failed`);
		}
	}, ms);
	return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Of the kind that most starts ask for. A machine with little memory keeps none. */
function keepSpares(host: LocalBrowserHost, images: Images, count: number): void {
	if (count === 0 || totalmem() < LITTLE_MEMORY) return;
	host.keepSpares(count, () =>
		images.isUsable(DEFAULT_IMAGE)
			? { image: images.getUsable(DEFAULT_IMAGE, true), screen: DEFAULT_SCREEN }
			: undefined,
	);
}

/** Throws an OperatorError when the daemon cannot run as configured. */
export async function startDaemon(config: Config, log: Log): Promise<Daemon> {
	using opened = new DisposableStack();
	const { server, limits } = config;
	checkExits(config);
	opened.use(lockDataDir(server.dataDir));
	const store = opened.use(openStore({ dataDir: server.dataDir }));
	const secret = getOrCreateSetting(store, "session_secret", newSecret);
	const stores = openStores(store, config);
	const { accounts, allowances, ledger, sources } = stores;
	const appKeys = new AppKeyStore(store, accounts);
	const images = new Images(config.images);
	const tokens = new SessionTokens(secret);
	const allow = parseAllowList(config.egress.allow);
	const host = await openBrowserHost(config, secret, log);
	const sessions = new SessionManager({
		store: new SessionStore(store),
		host,
		tokens,
		clock,
		log,
		starter: createStarter(config, stores, { images, allow, host }),
		idempotentStarts: new IdempotentStarts(store),
		limits: config.sessions,
		withoutRuntime: (live, now) => allowances.withoutRuntime(live, now),
		openEgress: (session, exit, socketPath) =>
			openGateway({ socketPath, allow, log, ...exitRoute(exit, { allow }), meter: ledger.meterOf(session) }),
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
			exits: config,
			usageOf: (accountId) => usageReport(accountId, sources, clock.now()),
			quotaOf: (accountId) => quotaReport(accountId, sources, clock.now()),
			view,
		},
		log,
	);
	const pages = createWeb(version).use(createApiDocs({ view }, version));
	const rate = new RequestRate({ ...limits, clock });
	const restart = new AbortController();
	const http = await openHttpServer({
		...server,
		fetch: (request, clientAddress) => {
			if (!new URL(request.url).pathname.startsWith("/v8")) return pages.fetch(request);
			return rate.take(rateKey(clientAddress)) ? api.fetch(request) : tooManyRequests(request, log);
		},
		upgrades: [cdpRoute({ sessions, restart: restart.signal, log })],
		log,
	});
	if (server.port === 0) view.publicUrl = server.publicUrl.replace(/:0$/, `:${http.port}`);
	opened.use(every(REAPER_MS, "the reaper's round", { log, work: () => sessions.tick() }));
	opened.use(every(LEDGER_MS, "writing the byte ledger", { log, work: () => ledger.flush() }));
	keepSpares(host, images, config.sessions.spares);
	const resources = opened.move();
	const close = async (): Promise<void> => {
		await http.close();
		await host[Symbol.asyncDispose]();
		try {
			ledger.flush();
		} catch (error) {
			log.error({ err: error }, "the last bytes could not be written to the ledger");
		}
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
