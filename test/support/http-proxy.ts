/** An HTTP proxy with a password, as a vendor of exits runs one. It remembers what it was asked for. */
import http from "node:http";
import net from "node:net";

export interface PasswordProxy extends AsyncDisposable {
	/** `127.0.0.1:PORT`. */
	readonly address: string;
	/** `METHOD target` of every request with the right password, and `407` for every other. */
	readonly seen: string[];
}

export async function startPasswordProxy(user: string, password: string): Promise<PasswordProxy> {
	const seen: string[] = [];
	const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
	const isAllowed = (request: http.IncomingMessage): boolean => {
		const allowed = request.headers["proxy-authorization"] === expected;
		seen.push(allowed ? `${request.method} ${request.url}` : "407");
		return allowed;
	};
	const server = http.createServer((request, response) => {
		if (!isAllowed(request)) {
			response.writeHead(407, { "proxy-authenticate": "Basic" }).end();
			return;
		}
		const { "proxy-authorization": _secret, ...headers } = request.headers;
		const forwarded = http.request(
			request.url ?? "",
			{ method: request.method ?? "GET", headers },
			(answer) => {
				response.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(response);
			},
		);
		forwarded.on("error", () => response.writeHead(502).end());
		request.pipe(forwarded);
	});
	server.on("connect", (request: http.IncomingMessage, client: net.Socket) => {
		client.on("error", () => client.destroy());
		if (!isAllowed(request)) {
			client.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n");
			return;
		}
		const [host = "", port = ""] = (request.url ?? "").split(":");
		const target = net.connect(Number(port), host, () => {
			client.write("HTTP/1.1 200 OK\r\n\r\n");
			client.pipe(target).pipe(client);
		});
		target.on("error", () => client.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return {
		address: `127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
		seen,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
