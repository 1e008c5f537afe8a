/**
 * Builds the few rtnetlink messages that give a fresh network namespace a live loopback and one link without a route.
 * Pages read `navigator.onLine` from the presence of such a link; nothing can be sent over it.
 */

const RTM_NEWLINK = 16;
const RTM_NEWADDR = 20;
const NLM_F_REQUEST = 1;
const NLM_F_ACK = 4;
const NLM_F_EXCL = 0x200;
const NLM_F_CREATE = 0x400;
const IFF_UP = 1;
const AF_INET = 2;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const HOST_PREFIX = 32;
const IFLA_IFNAME = 3;
const IFLA_LINKINFO = 18;
const IFLA_INFO_KIND = 1;
const LOOPBACK_INDEX = 1;

function attribute(type: number, payload: Buffer): Buffer {
	const header = Buffer.alloc(4);
	header.writeUInt16LE(4 + payload.length, 0);
	header.writeUInt16LE(type, 2);
	const padding = Buffer.alloc((4 - (payload.length % 4)) % 4);
	return Buffer.concat([header, payload, padding]);
}

function message(type: number, flags: number, body: Buffer): Buffer {
	const header = Buffer.alloc(16);
	header.writeUInt32LE(header.length + body.length, 0);
	header.writeUInt16LE(type, 4);
	header.writeUInt16LE(NLM_F_REQUEST | NLM_F_ACK | flags, 6);
	header.writeUInt32LE(1, 8);
	return Buffer.concat([header, body]);
}

function linkMessage(flags: number, index: number, attributes: Buffer): Buffer {
	const link = Buffer.alloc(16);
	link.writeInt32LE(index, 4);
	link.writeUInt32LE(IFF_UP, 8);
	link.writeUInt32LE(IFF_UP, 12);
	return message(RTM_NEWLINK, flags, Buffer.concat([link, attributes]));
}

/** The request that brings the loopback interface up. */
export function loopbackUp(): Buffer {
	return linkMessage(0, LOOPBACK_INDEX, Buffer.alloc(0));
}

/** The request that brings the interface with this index up. */
export function linkUp(index: number): Buffer {
	return linkMessage(0, index, Buffer.alloc(0));
}

/** The request that makes a link of this kind ("dummy" or "veth") and brings it up. */
export function createLink(name: string, kind: "dummy" | "veth"): Buffer {
	const kindAttribute = attribute(IFLA_INFO_KIND, Buffer.from(kind));
	return linkMessage(
		NLM_F_CREATE | NLM_F_EXCL,
		0,
		Buffer.concat([
			attribute(IFLA_IFNAME, Buffer.from(`${name}\0`)),
			attribute(IFLA_LINKINFO, kindAttribute),
		]),
	);
}

/** The request that gives the interface one IPv4 address, with a prefix that routes nothing but itself. */
export function addAddress(index: number, address: readonly [number, number, number, number]): Buffer {
	const header = Buffer.from([AF_INET, HOST_PREFIX, 0, 0, 0, 0, 0, 0]);
	header.writeUInt32LE(index, 4);
	const bytes = Buffer.from(address);
	const body = [header, attribute(IFA_LOCAL, bytes), attribute(IFA_ADDRESS, bytes)];
	return message(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, Buffer.concat(body));
}

/** The errno (0 for success) in the kernel's acknowledgement. */
export function acknowledgedErrno(answer: Buffer): number {
	return answer.length < 20 ? -1 : -answer.readInt32LE(16);
}
