/**
 * The daemon as src/daemon.ts puts it together, with a fake browser host, a clock that stands still and a log that can be
 * read. The reaper does not run by itself: `tick()` is one of its rounds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "../../src/accounts/account.ts";
import { AccountStore } from "../../src/accounts/account-store.ts";
import { AppKeyStore } from "../../src/accounts/app-key-store.ts";
import type { Plan } from "../../src/accounts/plan.ts";
import { createApi } from "../../src/api/app.ts";
import { authenticate } from "../../src/api/authenticate.ts";
import { type ImageSettings, Images } from "../../src/catalog/images.ts";
import type { Location, ResidentialCatalog } from "../../src/catalog/locations.ts";
import { cdpRoute } from "../../src/cdp/gateway.ts";
import { openHttpServer } from "../../src/http/server.ts";
import type { StartedByKind } from "../../src/sessions/session.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { SessionStore } from "../../src/sessions/session-store.ts";
import { SessionTokens } from "../../src/sessions/session-token.ts";
import { openStore } from "../../src/store/database.ts";
import type { Store } from "../../src/store/driver.ts";
import { createWeb } from "../../src/web/routes.ts";
import { FakeBrowserHost } from "./fake-browser-host.ts";
import { FakeClock } from "./fake-clock.ts";
import { captureLog, type LogLines } from "./log-lines.ts";
import { waitFor } from "./wait-for.ts";

const unlimited = { cycleSessionLimit: null, runtimeMinutes: null, residentialMb: null } as const;

const plans: readonly Plan[] = [
	{ id: "team", name: "Team", runningSessionLimit: 3, features: ["programmatic_access"], ...unlimited },
	{ id: "wide", name: "Wide", runningSessionLimit: 300, features: ["programmatic_access"], ...unlimited },
	{ id: "free", name: "Free", runningSessionLimit: 1, features: [], ...unlimited },
];

const image: ImageSettings = {
	id: "chrome",
	name: "Chrome",
	picture: undefined,
	executable: "/bin/sh",
	flags: [],
	enabled: true,
	supportsProgrammatic: true,
	supportsAnalysis: false,
	requiresFeatureRestrictedImages: false,
};

const images: readonly ImageSettings[] = [
	image,
	{
		...image,
		id: "second",
		name: "Second",
		picture: "https://pictures.example/second.png",
		supportsAnalysis: true,
	},
	{ ...image, id: "off", name: "Off", enabled: false },
	{ ...image, id: "missing", name: "Missing", executable: "/nowhere/chrome" },
	{
		...image,
		id: "by-hand",
		name: "By hand",
		supportsProgrammatic: false,
		requiresFeatureRestrictedImages: true,
	},
];

const locations: readonly Location[] = [
	{
		code: "de",
		name: "Germany",
		defaultCity: "de-fra",
		cities: [
			{ code: "de-fra", location: "Frankfurt" },
			{ code: "de-ber", location: "Berlin" },
		],
	},
];

export interface Answer {
	http: number;
	contentType: string | null;
	body: Record<string, unknown>;
	/** The body as it came. */
	text: string;
}

export interface NewUser {
	plan?: string;
	verified?: boolean;
	expiresAt?: number | null;
}

export interface User {
	account: Account;
	key: string;
	keyId: number;
	/** A call with this user's key. `body` is sent as JSON unless it is a string. */
	call(method: string, path: string, body?: unknown): Promise<Answer>;
	/** Starts a session and answers its id; fails the test when it is refused. */
	start(body?: object): Promise<string>;
	startRunning(body?: object): Promise<string>;
	/** Starts a session by hand, as the web app will. */
	startByHand(): string;
}

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
	addUser(user?: NewUser): Promise<User>;
	/** Any request to a path below the API's `/v8`. */
	request(path: string, init?: RequestInit): Promise<Answer>;
	tick(): void;
}

export interface ContractDaemonOptions {
	images?: readonly ImageSettings[];
	residential?: ResidentialCatalog;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The answer to a request, whose body has to be a JSON object. */
async function answerOf(url: string, init: RequestInit = {}): Promise<Answer> {
	const response = await fetch(url, init);
	const text = await response.text();
	const body: unknown = JSON.parse(text);
	if (!isObject(body)) throw new Error(`the answer is no JSON object: ${text}`);
	return { http: response.status, contentType: response.headers.get("content-type"), body, text };
}

/** The object in a field of an answer. */
export function objectIn(body: Record<string, unknown>, field: string): Record<string, unknown> {
	const value = body[field];
	if (!isObject(value)) throw new Error(`${field} is no object: ${JSON.stringify(value)}`);
	return value;
}

/** The objects in a field of an answer. */
export function objectsIn(body: Record<string, unknown>, field: string): Record<string, unknown>[] {
	const value = body[field];
	if (!Array.isArray(value) || !value.every(isObject))
		throw new Error(`${field} is no list: ${JSON.stringify(value)}`);
	return value;
}

export async function startContractDaemon(options: ContractDaemonOptions = {}): Promise<ContractDaemon> {
	const folder = mkdtempSync(join(tmpdir(), "barrel-contract-"));
	const store = openStore({ dataDir: folder });
	const clock = new FakeClock();
	const logged = captureLog();
	const { log } = logged;
	const host = new FakeBrowserHost();
	const accounts = new AccountStore(store, plans);
	const appKeys = new AppKeyStore(store, accounts);
	const offered = new Images(options.images ?? images);
	const tokens = new SessionTokens("the secret of the contract's tests");
	const sessions = new SessionManager({
		store: new SessionStore(store),
		host,
		tokens,
		clock,
		log,
		limits: { idleTimeoutMs: 300_000, lifetimeMs: 64_800_000, startTimeoutMs: 30_000 },
		imageOf: (id) => offered.getUsable(id),
		poolsOf: (accountId) =>
			accounts
				.activeSubscriptions(accountId, clock.now())
				.map(({ id, plan }) => ({ subscriptionId: id, runningSessionLimit: plan.runningSessionLimit })),
		openEgress: async () => ({ [Symbol.asyncDispose]: async () => {} }),
	});
	const view = { publicUrl: "", tokens };
	const api = createApi(
		{
			authenticate: (request) => authenticate(request, { accounts, appKeys, clock }),
			sessions,
			images: offered,
			locations,
			residential: options.residential ?? { configured: false, countries: [] },
			view,
		},
		log,
	);
	const web = createWeb("0.0.0-test");
	const restart = new AbortController();
	const http = await openHttpServer({
		host: "127.0.0.1",
		port: 0,
		tls: undefined,
		fetch: (request) =>
			new URL(request.url).pathname.startsWith("/v8") ? api.fetch(request) : web.fetch(request),
		upgrades: [cdpRoute({ sessions, restart: restart.signal, log })],
		log,
	});
	const url = `http://127.0.0.1:${http.port}`;
	view.publicUrl = url;
	let users = 0;

	const addUser = async ({
		plan = "team",
		verified = true,
		expiresAt = null,
	}: NewUser = {}): Promise<User> => {
		users += 1;
		const person = {
			email: `user${users}@example.org`,
			firstname: `First${users}`,
			lastname: `Last${users}`,
		};
		const account = await accounts.add(
			{ ...person, password: "password", planIds: [plan], verified },
			clock.now(),
		);
		const { key, appKey } = appKeys.add({ account, name: "test", expiresAt }, clock.now());
		const call: User["call"] = (method, path, body) =>
			answerOf(`${url}/v8${path}`, {
				method,
				headers: {
					authorization: `Bearer ${key}`,
					...(body === undefined ? {} : { "content-type": "application/json" }),
				},
				...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
			});
		const start = async (body: object = {}): Promise<string> => {
			const answer = await call("POST", "/web/sessions", body);
			if (answer.body["status"] !== "ok") throw new Error(`the start was refused: ${answer.text}`);
			return String(answer.body["id"]);
		};
		return {
			account,
			key,
			keyId: appKey.id,
			call,
			start,
			startRunning: async (body) => {
				const id = await start(body);
				const browser = await host.browserOf(id);
				browser.becomeReady();
				await waitFor(() => sessions.get(account.id, id).state.status === "running", `${id} is running`);
				return id;
			},
			startByHand: () => {
				const startedByKind: StartedByKind = "app";
				return sessions.start({ accountId: account.id, appKeyId: null, startedByKind }, {}).session.id;
			},
		};
	};

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
		addUser,
		request: (path, init) => answerOf(`${url}/v8${path}`, init),
		tick: () => sessions.tick(),
		[Symbol.asyncDispose]: async () => {
			await sessions.endAll();
			await http.close();
			store.close();
			rmSync(folder, { recursive: true, force: true });
			const left = host.remaining();
			if (left.length > 0) throw new Error(`browsers left behind: ${left.join(", ")}`);
		},
	};
}
