/** The gateway's own answers: which status an error has, and the small page that says so. */
import { messageOf } from "../base/errors.ts";
import { DialTimeout } from "./connect.ts";
import { BadHead } from "./http-head.ts";
import { EgressRefusal, type EgressRefusalReason } from "./policy.ts";
import { BadResponse } from "./response-gate.ts";
import { MalformedTarget } from "./target.ts";
import { ExitFault, type ProxyExitKind, type UpstreamProblem } from "./upstream-fault.ts";

type ErrorStatus = 400 | 403 | 431 | 502 | 503 | 504;

/** The gateway has as many connections open as one session may have. */
export class TooManyConnections extends Error {
	override readonly name = "TooManyConnections";
}

/** The exit has carried as much as it may. */
export class AllowanceUsedUp extends Error {
	override readonly name = "AllowanceUsedUp";
}

const titles: Record<ErrorStatus, string> = {
	400: "Bad Request",
	403: "Forbidden",
	431: "Request Header Fields Too Large",
	502: "Bad Gateway",
	503: "Service Unavailable",
	504: "Gateway Timeout",
};

const wayOut = "The operator of this service can open single targets with [egress] allow.";

const refusals: Record<EgressRefusalReason, string> = {
	port: "Port 25 (mail delivery) cannot be reached from a session.",
	"internal-name": `is a name of an internal network, and sessions reach public addresses only. ${wayOut}`,
	"private-address": `leads to an address that is not public, and sessions reach public addresses only. ${wayOut}`,
	"own-address": `leads to the machine that this browser runs on, which sessions cannot reach. ${wayOut}`,
	"browser-service": "serves the browser itself and no page, and sessions do without it.",
};

const proxies: Record<ProxyExitKind, string> = {
	location: "The location's proxy",
	residential: "The residential proxy",
	own_proxy: "The session's own proxy",
};

const problems: Record<UpstreamProblem, string> = {
	credentials: "refused the credentials.",
	refused: "did not open a connection to the target.",
	unreachable: "could not be reached.",
	certificate: "has no valid certificate.",
	timeout: "did not answer in time.",
	protocol: "did not answer as a proxy of its kind does.",
};

/** The status of the answer to a request that failed so. */
function statusOf(thrown: unknown): ErrorStatus {
	if (thrown instanceof EgressRefusal || thrown instanceof AllowanceUsedUp) return 403;
	if (thrown instanceof ExitFault) return thrown.problem === "timeout" ? 504 : 502;
	if (thrown instanceof BadHead) return thrown.status;
	if (thrown instanceof MalformedTarget) return 400;
	if (thrown instanceof TooManyConnections) return 503;
	return thrown instanceof DialTimeout ? 504 : 502;
}

function sentenceOf(thrown: unknown): string {
	if (thrown instanceof EgressRefusal) {
		return thrown.reason === "port" ? refusals.port : `${thrown.host} ${refusals[thrown.reason]}`;
	}
	if (thrown instanceof ExitFault) return `${proxies[thrown.exit]} ${problems[thrown.problem]}`;
	if (thrown instanceof AllowanceUsedUp) return "The traffic that this session's exit may carry is used up.";
	if (thrown instanceof DialTimeout) return "The target did not answer in time.";
	if (thrown instanceof BadResponse) return "The target did not answer in HTTP.";
	if (thrown instanceof BadHead || thrown instanceof MalformedTarget) {
		return `The request was not understood: ${messageOf(thrown)}.`;
	}
	if (thrown instanceof TooManyConnections) return "This session has too many connections open.";
	return "The target could not be resolved or reached.";
}

/** The whole answer, always with `Connection: close`. Carries no script and repeats nothing of the request but its host. */
export function errorPage(thrown: unknown): Buffer {
	const status = statusOf(thrown);
	const title = `${status} ${titles[status]}`;
	const body = `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${escapeHtml(sentenceOf(thrown))}</p>\n`;
	const head = [
		`HTTP/1.1 ${title}`,
		"Content-Type: text/html; charset=utf-8",
		`Content-Length: ${Buffer.byteLength(body)}`,
		"Content-Security-Policy: default-src 'none'",
		"Cache-Control: no-store",
		"Connection: close",
	];
	return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function escapeHtml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
