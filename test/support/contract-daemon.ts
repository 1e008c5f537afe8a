/**
 * The daemon as src/daemon.ts puts it together, with a fake browser host, a clock that stands still and a log that can be
 * read. The reaper does not run by itself: `tick()` is one of its rounds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccountStore } from "../../src/accounts/account-store.ts";
import { AppKeyStore } from "../../src/accounts/app-key-store.ts";
import type { Plan } from "../../src/accounts/plan.ts";
import { createApi, createApiDocs, tooManyRequests } from "../../src/api/app.ts";
import { authenticate } from "../../src/api/authenticate.ts";
import { type ImageSettings, Images } from "../../src/catalog/images.ts";
import type { Residential } from "../../src/catalog/locations.ts";
import { cdpRoute } from "../../src/cdp/gateway.ts";
import { parseAllowList } from "../../src/egress/allow-list.ts";
import { checkUpstreamHost, type Exit } from "../../src/egress/exit.ts";
import { rateKey } from "../../src/http/client-ip.ts";
import { RequestRate } from "../../src/http/request-rate.ts";
import { openHttpServer } from "../../src/http/server.ts";
import { IdempotentStarts } from "../../src/sessions/idempotency.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { SessionStore } from "../../src/sessions/session-store.ts";
import { SessionTokens } from "../../src/sessions/session-token.ts";
import { type StartLimits, StartRate } from "../../src/sessions/start-rate.ts";
import { Starter } from "../../src/sessions/starter.ts";
import { openStore } from "../../src/store/database.ts";
import type { Store } from "../../src/store/driver.ts";
import { Allowances } from "../../src/usage/allowance.ts";
import { ByteLedger, type ByteMeter } from "../../src/usage/byte-ledger.ts";
import { quotaReport } from "../../src/usage/quota-report.ts";
import { usageReport } from "../../src/usage/usage-report.ts";
import type { UsageSources } from "../../src/usage/usage-sources.ts";
import { UsageStore } from "../../src/usage/usage-store.ts";
import { createWeb } from "../../src/web/routes.ts";
import { type Answer, answerOf } from "./contract-answer.ts";
import * as offer from "./contract-offer.ts";
import { ContractUsers, type NewUser, type User } from "./contract-user.ts";
import { FakeBrowserHost } from "./fake-browser-host.ts";
import { FakeClock } from "./fake-clock.ts";
import { captureLog, type LogLines } from "./log-lines.ts";

export { objectIn, objectsIn } from "./contract-answer.ts";
export type { User } from "./contract-user.ts";

export interface ContractDaemon extends AsyncDisposable {
	readonly url: string;
	readonly port: number;
	readonly host: FakeBrowserHost;
	readonly clock: FakeClock;
	readonly sessions: SessionManager;
	readonly accounts: AccountStore;
	readonly appKeys: AppKeyStore;
	readonly store: Store;
	readonly logged: LogLines;
	/** The API's addresses, such as `GET /v8/image`. */
	readonly routes: readonly string[];
	addUser(user?: NewUser): Promise<User>;
	/** Somebody whom this daemon knows from its database, with the same key. */
	userAgain(user: User): User;
	/** Any request to a path below the API's `/v8`. */
	request(path: string, init?: RequestInit): Promise<Answer>;
	tick(): void;
	/** How the session gets out, once its browser has been asked for. */
	exitOf(sessionId: string): Exit;
	/** Residential or other traffic of a session, as its gateway would count it, and written at once. */
	move(sessionId: string, bytes: { up: number; down: number }): void;
	/** Is gone as if it was killed: rows and folders are left to the successor. */
	kill(): Promise<void>;
}

export interface ContractDaemonOptions {
	images?: readonly ImageSettings[];
	plans?: readonly Plan[];
	residential?: Residential;
	/** For every address; generous when left out. */
	requests?: { requestsPerSecond: number; burst: number };
	/** For every key and account; generous when left out. */
	starts?: StartLimits;
	trustedProxies?: readonly string[];
	publicUrl?: string;
	/** Kept when the daemon is gone; a folder of its own when left out. */
	dataDir?: string;
	clock?: FakeClock;
}

const plenty = 1_000_000;
const manyStarts: StartLimits = { perMinute: plenty, perHour: plenty, perDay: plenty };

interface Parts {
	store: Store;
	clock: FakeClock;
	accounts: AccountStore;
	allowances: Allowances;
	ledger: ByteLedger;
	images: Images;
	host: FakeBrowserHost;
	options: ContractDaemonOptions;
}

function createStarter({
	store,
	clock,
	accounts,
	allowances,
	ledger,
	images,
	host,
	options,
}: Parts): Starter {
	const starts = options.starts ?? manyStarts;
	const startRate = new StartRate({ store, perAppKey: starts, perAccount: starts });
	const allow = parseAllowList([]);
	return new Starter({
		store: new SessionStore(store),
		idempotentStarts: new IdempotentStarts(store),
		clock,
		lifetimeMs: 64_800_000,
		spares: host,
		exits: { locations: offer.locations, residential: options.residential },
		imageOf: (imageId, mayUseRestricted) => images.getUsable(imageId, mayUseRestricted),
		subscriptionsOf: (accountId) => accounts.activeSubscriptions(accountId, clock.now()),
		allowanceOf: (subscription, now) => allowances.allowanceOf(subscription, now),
		residentialBytesLeft: (accountId, now) => ledger.residentialBytesLeft(accountId, now),
		startDelayMs: ({ appKeyId, accountId }, now) => {
			const decision = startRate.check(appKeyId, accountId, now);
			return decision.allowed ? undefined : decision.retryAfterMs;
		},
		checkUpstream: (upstream) => checkUpstreamHost(upstream, allow, offer.resolveProxy),
	});
}

/** The ways out of sessions: nothing is opened, but the same meter counts. */
class FakeGateways {
	readonly #ledger: ByteLedger;
	readonly #opened = new Map<string, { exit: Exit; meter: ByteMeter }>();

	constructor(ledger: ByteLedger) {
		this.#ledger = ledger;
	}

	readonly open: ConstructorParameters<typeof SessionManager>[0]["openEgress"] = async (session, exit) => {
		this.#opened.set(session.id, { exit, meter: this.#ledger.meterOf(session) });
		return { [Symbol.asyncDispose]: async () => {} };
	};

	get(sessionId: string): { exit: Exit; meter: ByteMeter } {
		const opened = this.#opened.get(sessionId);
		if (opened === undefined) throw new Error(`no way out was opened for ${sessionId}`);
		return opened;
	}
}

export async function startContractDaemon(options: ContractDaemonOptions = {}): Promise<ContractDaemon> {
	const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), "barrel-contract-"));
	const store = openStore({ dataDir: folder });
	const clock = options.clock ?? new FakeClock();
	const logged = captureLog();
	const { log } = logged;
	const host = new FakeBrowserHost();
	const plans = options.plans ?? offer.plans;
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
	const appKeys = new AppKeyStore(store, accounts);
	const images = new Images(options.images ?? offer.images);
	const tokens = new SessionTokens("the secret of the contract's tests");
	const gateways = new FakeGateways(ledger);
	const sessions = new SessionManager({
		store: new SessionStore(store),
		host,
		tokens,
		clock,
		log,
		starter: createStarter({ store, clock, accounts, allowances, ledger, images, host, options }),
		idempotentStarts: new IdempotentStarts(store),
		limits: { idleTimeoutMs: 300_000, startTimeoutMs: 30_000 },
		withoutRuntime: (live, now) => allowances.withoutRuntime(live, now),
		openEgress: gateways.open,
	});
	await sessions.recover();
	const view = { publicUrl: "", tokens };
	const api = createApi(
		{
			authenticate: (request) => authenticate(request, { accounts, appKeys, clock }),
			sessions,
			images,
			exits: { locations: offer.locations, residential: options.residential },
			usageOf: (accountId) => usageReport(accountId, sources, clock.now()),
			quotaOf: (accountId) => quotaReport(accountId, sources, clock.now()),
			view,
		},
		log,
	);
	const pages = createWeb("0.0.0-test").use(createApiDocs({ view }, "0.0.0-test"));
	const requests = options.requests ?? { requestsPerSecond: plenty, burst: plenty };
	const rate = new RequestRate({ ...requests, clock });
	const restart = new AbortController();
	const http = await openHttpServer({
		host: "127.0.0.1",
		port: 0,
		tls: undefined,
		trustedProxies: options.trustedProxies ?? [],
		fetch: (request, clientAddress) => {
			if (!new URL(request.url).pathname.startsWith("/v8")) return pages.fetch(request);
			return rate.take(rateKey(clientAddress)) ? api.fetch(request) : tooManyRequests(request, log);
		},
		upgrades: [cdpRoute({ sessions, restart: restart.signal, log })],
		log,
	});
	const url = `http://127.0.0.1:${http.port}`;
	view.publicUrl = options.publicUrl ?? url;
	const users = new ContractUsers({ baseUrl: `${url}/v8`, accounts, appKeys, sessions, host, clock });
	let isKilled = false;
	return {
		url,
		port: http.port,
		host,
		clock,
		sessions,
		accounts,
		appKeys,
		store,
		logged,
		routes: api.routes.map(({ method, path }) => `${method} ${path}`),
		addUser: (user) => users.add(user),
		userAgain: (user) => users.again(user),
		request: (path, init) => answerOf(`${url}/v8`, path, init),
		tick: () => sessions.tick(),
		exitOf: (sessionId) => gateways.get(sessionId).exit,
		move: (sessionId, { up, down }) => {
			const { meter } = gateways.get(sessionId);
			meter.up(up);
			meter.down(down);
			ledger.flush();
		},
		kill: async () => {
			isKilled = true;
			restart.abort();
			await http.close();
			store.close();
		},
		[Symbol.asyncDispose]: async () => {
			if (isKilled) return;
			await sessions.endAll();
			await http.close();
			store.close();
			if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
			const left = host.remaining();
			if (left.length > 0) throw new Error(`browsers left behind: ${left.join(", ")}`);
			if (logged.text().includes(offer.OPERATOR_SECRET))
				throw new Error("a secret of the operator was logged");
		},
	};
}
