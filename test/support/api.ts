/** A client of the HTTP API as tests need it: every answer as it came. */
import { waitFor } from "./wait-for.ts";

export interface StartedSession {
	status: string;
	id: string;
	name: string;
	image: string;
	connectUrl: string;
	liveViewUrl: string;
	createdAt: string;
	screen: { width: number; height: number };
	quota: Record<string, number>;
}

export interface SessionData {
	id: string;
	name: string;
	status: string;
	createdAt: string;
	endedAt: string | null;
	endedReason: string | null;
	lastseen: string;
	expiresAt: string;
	connectUrl: string | null;
	[field: string]: unknown;
}

export interface Api {
	/** Any call; `body` is sent as JSON unless it is a string. Answers the HTTP status and the body. */
	call(
		method: string,
		path: string,
		body?: unknown,
	): Promise<{ http: number; body: Record<string, unknown> }>;
	/** Starts a session; fails the test when it is refused. */
	start(body?: object): Promise<StartedSession>;
	/** Starts a session and waits until it runs. */
	startRunning(body?: object): Promise<StartedSession>;
	read(id: string): Promise<SessionData>;
	list(query?: string): Promise<SessionData[]>;
	stop(id: string): Promise<Record<string, unknown>>;
	/** Waits until the session has this status. */
	until(id: string, status: string): Promise<SessionData>;
}

async function parsed<T>(response: Response): Promise<T> {
	return JSON.parse(await response.text());
}

export function createApi(url: string, key: string | undefined): Api {
	const call: Api["call"] = async (method, path, body) => {
		const response = await fetch(`${url}/v8${path}`, {
			method,
			headers: {
				...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
				...(body === undefined ? {} : { "content-type": "application/json" }),
			},
			...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
		});
		return { http: response.status, body: await parsed(response) };
	};
	const data = async <T>(path: string): Promise<T> => {
		const response = await fetch(`${url}/v8${path}`, { headers: { authorization: `Bearer ${key}` } });
		const answer = await parsed<{ status: string; data: T }>(response);
		if (answer.status !== "ok") throw new Error(JSON.stringify(answer));
		return answer.data;
	};
	const read = (id: string) => data<SessionData>(`/web/sessions/${id}`);
	const until = async (id: string, status: string): Promise<SessionData> => {
		let last = await read(id);
		await waitFor(
			async () => {
				last = await read(id);
				if (last.status === "ended" && status !== "ended")
					throw new Error(`${id} ended: ${last.endedReason}`);
				return last.status === status;
			},
			`session ${id} is ${status}`,
			30_000,
		);
		return last;
	};
	const start = async (body: object = {}): Promise<StartedSession> => {
		const response = await fetch(`${url}/v8/web/sessions`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify(body),
		});
		const started = await parsed<StartedSession>(response);
		if (started.status !== "ok") throw new Error(JSON.stringify(started));
		return started;
	};
	return {
		call,
		start,
		startRunning: async (body) => {
			const started = await start(body);
			await until(started.id, "running");
			return started;
		},
		read,
		list: (query = "") => data<SessionData[]>(`/web/sessions${query}`),
		stop: async (id) => (await call("DELETE", `/web/sessions/${id}`)).body,
		until,
	};
}
