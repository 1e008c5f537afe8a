/** The daemon's only listener: one node:http server for the API, the pages and every socket. */
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { toNodeHandler } from "srvx/node";
import { codeOf, messageOf, OperatorError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { clientAddress, parseTrustedProxies } from "./client-ip.ts";
import { replyRaw } from "./raw-reply.ts";
import { findRoute, type UpgradeRoute } from "./upgrade-table.ts";

const CLOSE_MS = 1_000;

export interface HttpServerOptions {
	host: string;
	/** 0 picks a free one. */
	port: number;
	tls: { certFile: string; keyFile: string } | undefined;
	/** Addresses whose forwarding headers are believed. */
	trustedProxies: readonly string[];
	/** `clientAddress` is the IP address of whoever asks, also behind trusted proxies. */
	fetch(request: Request, clientAddress: string): Response | Promise<Response>;
	upgrades: readonly UpgradeRoute[];
	log: Log;
}

export interface HttpServer {
	readonly port: number;
	/** Stops listening, then ends what is still connected. */
	close(): Promise<void>;
}

/** Whatever else a client offers, such as HTTP/2 as Java's does in every request, is passed over. */
function shouldUpgradeCallback({ headers }: http.IncomingMessage): boolean {
	return headers.upgrade?.toLowerCase() === "websocket";
}

function createServer({ tls, fetch, trustedProxies }: HttpServerOptions): http.Server | https.Server {
	const trusted = parseTrustedProxies(trustedProxies);
	const onRequest: http.RequestListener = (request, response) => {
		const client = clientAddress(request.socket.remoteAddress ?? "", request.headers, trusted);
		const handler = toNodeHandler((webRequest) => fetch(webRequest, client));
		// srvx types its handler for HTTP/1 and HTTP/2 requests at once, which no request is.
		Reflect.apply(handler, undefined, [request, response]);
	};
	if (tls === undefined) return http.createServer({ shouldUpgradeCallback }, onRequest);
	const read = (path: string, key: string) => {
		try {
			return readFileSync(path);
		} catch (error) {
			throw new OperatorError(`server.${key}: ${path} cannot be read (${codeOf(error) ?? messageOf(error)})`);
		}
	};
	return https.createServer(
		{ cert: read(tls.certFile, "tls_cert"), key: read(tls.keyFile, "tls_key"), shouldUpgradeCallback },
		onRequest,
	);
}

function listenError(error: unknown, { host, port }: HttpServerOptions): Error {
	const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
	switch (codeOf(error)) {
		case "EADDRINUSE":
			return new OperatorError(
				`server.listen: ${address} is in use by another program; choose another port or stop it`,
			);
		case "EACCES":
			return new OperatorError(
				`server.listen: this user may not listen on ${address}; choose a port above 1023`,
			);
		case "EADDRNOTAVAIL":
			return new OperatorError(`server.listen: this machine has no address ${host}`);
		default:
			return new OperatorError(`server.listen: ${address} cannot be listened on (${messageOf(error)})`);
	}
}

/** Throws an OperatorError when the address cannot be had. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
	const { log, upgrades } = options;
	const server = createServer(options);
	const upgraded = new Set<Duplex>();
	server.on("clientError", (_error, socket) => {
		replyRaw(socket, { statusCode: 400, status: "error", message: "The request is not valid HTTP." });
	});
	server.on("upgrade", (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
		socket.on("error", () => socket.destroy());
		upgraded.add(socket);
		socket.on("close", () => upgraded.delete(socket));
		const match = findRoute(upgrades, request.url ?? "");
		if (match === undefined) {
			replyRaw(socket, { statusCode: 404, status: "error", message: "There is no socket at this address." });
			return;
		}
		const { route, url, parameters } = match;
		route.handle({ request, socket, head, url, parameters }).catch((error) => {
			log.error({ err: error }, "an upgrade failed");
			replyRaw(socket, { statusCode: 500, status: "error", message: "The socket could not be opened." });
		});
	});
	const listening = Promise.withResolvers<void>();
	server.once("error", (error) => listening.reject(listenError(error, options)));
	server.listen({ host: options.host, port: options.port }, () => listening.resolve());
	await listening.promise;
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : options.port,
		close: async () => {
			const closed = Promise.withResolvers<void>();
			server.close(() => closed.resolve());
			server.closeIdleConnections();
			const late = setTimeout(() => {
				for (const socket of upgraded) socket.destroy();
				server.closeAllConnections();
				closed.resolve();
			}, CLOSE_MS);
			await closed.promise;
			clearTimeout(late);
		},
	};
}
