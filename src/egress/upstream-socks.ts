/** Asks a socks4 (4a for names) or socks5 proxy for a target. Names go to the proxy as they are: it resolves them. */
import net from "node:net";
import type { Credentials, Upstream } from "./exit.ts";
import { parseAddress } from "./private-address.ts";
import type { Target } from "./target.ts";
import { UpstreamFault } from "./upstream-fault.ts";
import { readBytes } from "./upstream-handshake.ts";

function portBytes(port: number): Buffer {
	return Buffer.from([port >> 8, port & 255]);
}

function addressBytes(host: string): number[] {
	const address = parseAddress(host);
	if (address === undefined) throw new TypeError("not an address");
	return address.toByteArray();
}

/** Rejects with UpstreamFault when the proxy says no. */
export async function connectSocks4(
	socket: net.Socket,
	upstream: Upstream,
	{ host, port }: Target,
	signal: AbortSignal,
): Promise<void> {
	if (net.isIPv6(host)) throw new UpstreamFault("refused", "socks4 reaches no IPv6 address");
	const isName = !net.isIPv4(host);
	socket.write(
		Buffer.concat([
			Buffer.from([4, 1]),
			portBytes(port),
			// 4a: an impossible address says that a name follows.
			Buffer.from(isName ? [0, 0, 0, 1] : addressBytes(host)),
			Buffer.from(`${upstream.credentials()?.user ?? ""}\0`),
			Buffer.from(isName ? `${host}\0` : ""),
		]),
	);
	const reply = await readBytes(socket, signal, 8);
	const [version, code] = reply;
	if (version !== 0) throw new UpstreamFault("protocol", `socks4 version ${version}`);
	if (code === 90) return;
	throw new UpstreamFault(code === 92 || code === 93 ? "credentials" : "refused", `socks4 ${code}`);
}

/** Rejects with UpstreamFault when the proxy says no. */
export async function connectSocks5(
	socket: net.Socket,
	upstream: Upstream,
	target: Target,
	signal: AbortSignal,
): Promise<void> {
	const credentials = upstream.credentials();
	socket.write(Buffer.from(credentials === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
	const [version, method] = await readBytes(socket, signal, 2);
	if (version !== 5) throw new UpstreamFault("protocol", `socks5 version ${version}`);
	if (method === 2 && credentials !== undefined) await logIn(socket, credentials, signal);
	else if (method === 255) throw new UpstreamFault("credentials", "socks5 no method");
	else if (method !== 0) throw new UpstreamFault("protocol", `socks5 method ${method}`);
	socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socks5Host(target.host), portBytes(target.port)]));
	const [replyVersion, code, , type, first = 0] = await readBytes(socket, signal, 5);
	if (replyVersion !== 5) throw new UpstreamFault("protocol", `socks5 version ${replyVersion}`);
	if (code !== 0) throw new UpstreamFault("refused", `socks5 ${code}`);
	// The address that the proxy bound is of no use, but stands before the target's first byte.
	const boundBytes = type === 1 ? 4 : type === 4 ? 16 : type === 3 ? first + 1 : undefined;
	if (boundBytes === undefined) throw new UpstreamFault("protocol", `socks5 address type ${type}`);
	await readBytes(socket, signal, boundBytes - 1 + 2);
}

async function logIn(
	socket: net.Socket,
	{ user, password }: Credentials,
	signal: AbortSignal,
): Promise<void> {
	socket.write(Buffer.concat([Buffer.from([1]), counted(user), counted(password)]));
	const [version, status] = await readBytes(socket, signal, 2);
	if (version !== 1) throw new UpstreamFault("protocol", `socks5 login version ${version}`);
	if (status !== 0) throw new UpstreamFault("credentials", `socks5 login ${status}`);
}

function socks5Host(host: string): Buffer {
	if (net.isIPv4(host)) return Buffer.from([1, ...addressBytes(host)]);
	if (net.isIPv6(host)) return Buffer.from([4, ...addressBytes(host)]);
	return Buffer.concat([Buffer.from([3]), counted(host)]);
}

function counted(text: string): Buffer {
	const bytes = Buffer.from(text);
	return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
