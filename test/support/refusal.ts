/** A WebSocket connection that is refused, as its HTTP answer: WebSocket clients hide it. */
import http from "node:http";

export interface Refusal {
	http: number;
	body: string;
}

/** Resolves with the answer; rejects when the connection is accepted. */
export function refusalOf(connectUrl: string): Promise<Refusal> {
	const { promise, resolve, reject } = Promise.withResolvers<Refusal>();
	const request = http.request(connectUrl.replace(/^ws/, "http"), {
		agent: false,
		headers: {
			connection: "Upgrade",
			upgrade: "websocket",
			"sec-websocket-version": "13",
			"sec-websocket-key": Buffer.from("sixteen bytes ok").toString("base64"),
		},
	});
	request.on("response", (response) => {
		let body = "";
		response.setEncoding("utf8").on("data", (chunk: string) => {
			body += chunk;
		});
		response.on("end", () => resolve({ http: response.statusCode ?? 0, body }));
	});
	request.on("upgrade", (_response, socket) => {
		socket.destroy();
		reject(new Error("the connection was accepted"));
	});
	request.on("error", reject);
	request.end();
	return promise;
}
