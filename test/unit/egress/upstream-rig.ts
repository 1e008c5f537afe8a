/** Gateways whose exit is a scripted proxy on loopback. */
import { parseAllowList } from "../../../src/egress/allow-list.ts";
import { parseUpstream } from "../../../src/egress/exit.ts";
import type { GatewayOptions } from "../../../src/egress/gateway.ts";
import { type ExitOptions, exitRoute } from "../../../src/egress/upstream-route.ts";
import { eventually, type Origin, openOrigin, openRig, type Peer, type Rig } from "./rig.ts";

/** A proxy that plays the script for every connection. */
export function openProxy(script: (peer: Peer) => Promise<void> | void): Promise<Origin> {
	return openOrigin((peer) => {
		Promise.resolve(script(peer)).catch(() => peer.socket.destroy());
	});
}

/** The bytes from `from` to `to`, once that many have come. */
export async function received(peer: Peer, from: number, to: number): Promise<number[]> {
	await eventually(
		() => peer.bytes >= to,
		() => `${to} bytes, ${peer.bytes} came: ${JSON.stringify(peer.text)}`,
	);
	return [...peer.buffer.subarray(from, to)];
}

/** `url` with PORT in the place of the proxy's port. */
export function routeThrough(url: string, proxy: Origin, options: Partial<ExitOptions> = {}) {
	const upstream = parseUpstream(url.replace("PORT", `${proxy.port}`));
	if (upstream === undefined) throw new Error(url);
	return exitRoute({ kind: "own_proxy", upstream }, { allow: parseAllowList(["127.0.0.1"]), ...options });
}

export function openRigThrough(
	url: string,
	proxy: Origin,
	{ exit, ...options }: Partial<Omit<GatewayOptions, "allow">> & { exit?: Partial<ExitOptions> } = {},
): Promise<Rig> {
	return openRig({ ...routeThrough(url, proxy, exit), ...options });
}
