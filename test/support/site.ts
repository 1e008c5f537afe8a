/** Pages on loopback for browsers under test to visit. */
import http from "node:http";

export interface Site extends AsyncDisposable {
	readonly url: string;
	/** `127.0.0.1:PORT`, for `[egress] allow`. */
	readonly target: string;
	/** The paths that were asked for, in order. */
	readonly requests: string[];
}

const form = `<!doctype html><title>A form</title>
<button id="press" onclick="document.title = 'pressed'">Press</button>
<input id="field">
<button id="open" onclick="window.open('/popup')">Open</button>`;

const pages: Record<string, string> = {
	"/": form,
	"/popup": "<!doctype html><title>A popup</title>",
	"/text": "<!doctype html><title>Text</title><p>plain text of the site</p>",
};

export async function startSite(handlers: Record<string, http.RequestListener> = {}): Promise<Site> {
	const requests: string[] = [];
	const server = http.createServer((request, response) => {
		const path = request.url ?? "/";
		requests.push(path);
		const handler = handlers[path];
		if (handler !== undefined) return handler(request, response);
		const page = pages[path];
		response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
		response.end(page ?? "not found");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const target = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
	return {
		url: `http://${target}`,
		target,
		requests,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
