/** A browser's CDP end on a unix socket: says back what it hears, and closes when it is told to. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import type { CdpAddress } from "../../src/sessions/ports.ts";

export interface FakeCdp extends AsyncDisposable {
	readonly address: CdpAddress;
	/** The headers and the path of every connection so far. */
	readonly connections: { path: string | undefined; headers: http.IncomingHttpHeaders }[];
}

export async function startFakeCdp(): Promise<FakeCdp> {
	const folder = mkdtempSync(join(tmpdir(), "bt-cdp-"));
	const address = { socketPath: join(folder, "s"), path: "/devtools/browser/fake" };
	const connections: FakeCdp["connections"] = [];
	const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
	const server = http.createServer();
	server.on("upgrade", (request, socket, head) => {
		connections.push({ path: request.url, headers: request.headers });
		sockets.handleUpgrade(request, socket, head, (client) => {
			client.on("message", (data, isBinary) => client.send(data, { binary: isBinary }));
		});
	});
	server.listen({ path: address.socketPath });
	await once(server, "listening");
	return {
		address,
		connections,
		[Symbol.asyncDispose]: async () => {
			for (const client of sockets.clients) client.terminate();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
