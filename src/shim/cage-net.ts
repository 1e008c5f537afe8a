/**
 * The hidden command `barrel cage-net PROGRAM ARGS…`: runs as the first process inside a session's fresh network
 * namespace, brings loopback and one routeless link up, gives up every privilege and becomes PROGRAM (bubblewrap).
 * It cannot be bubblewrap's own network namespace: that one belongs to a user namespace nobody can enter afterwards.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { acknowledgedErrno, addAddress, createLink, linkUp, loopbackUp } from "./netlink.ts";

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_CLOEXEC = 0o2000000;
const NETLINK_ROUTE = 0;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const EXIT_CANNOT_RUN = 126;
const LINK_NAME = "link0";
const VETH_PEER_NAME = "veth0";
/** From the range for documentation (RFC 5737): no real host has it, and it leads nowhere. */
const LINK_ADDRESS = [192, 0, 2, 1] as const;

function openLibc() {
	const symbols = {
		socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
		send: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64 },
		recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64 },
		if_nametoindex: { args: [FFIType.ptr], returns: FFIType.u32 },
		prctl: { args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64], returns: FFIType.i32 },
		execvp: { args: [FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
	} as const;
	try {
		return dlopen("libc.so.6", symbols).symbols;
	} catch {
		return dlopen(`libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`, symbols).symbols;
	}
}

const libc = openLibc();

function request(socket: number, message: Buffer): number {
	if (Number(libc.send(socket, ptr(message), message.length, 0)) !== message.length) return -1;
	const answer = Buffer.alloc(4096);
	const length = Number(libc.recv(socket, ptr(answer), answer.length, 0));
	return acknowledgedErrno(answer.subarray(0, Math.max(length, 0)));
}

function indexOf(interfaceName: string): number {
	return libc.if_nametoindex(ptr(Buffer.from(`${interfaceName}\0`)));
}

function bringLinksUp(): void {
	const socket = libc.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	const errno = socket < 0 ? -1 : request(socket, loopbackUp());
	if (errno !== 0) throw new Error(`the session's loopback could not be brought up (errno ${errno})`);
	if (request(socket, createLink(LINK_NAME, "dummy")) !== 0) {
		// Without the dummy module: one end of a pair whose other end stays in the same namespace.
		if (request(socket, createLink(LINK_NAME, "veth")) !== 0) return;
		request(socket, linkUp(indexOf(VETH_PEER_NAME)));
	}
	request(socket, addAddress(indexOf(LINK_NAME), LINK_ADDRESS));
}

function become(program: string, args: readonly string[]): void {
	const strings = [program, ...args].map((text) => Buffer.from(`${text}\0`));
	const pointers = new BigUint64Array(strings.length + 1);
	for (const [index, text] of strings.entries()) pointers[index] = BigInt(ptr(text));
	libc.execvp(ptr(Buffer.from(`${program}\0`)), ptr(pointers));
}

/** Never returns when all goes well: the process becomes `argv[0]`. */
export function runCageNet(argv: readonly string[]): void {
	const [program, ...args] = argv;
	try {
		if (program === undefined) throw new Error("cage-net needs a program to become");
		bringLinksUp();
		libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		become(program, args);
		throw new Error(`${program} could not be run; is it installed?`);
	} catch (error) {
		process.stderr.write(`barrel cage-net: ${error instanceof Error ? error.message : String(error)}\n`);
		process.exit(EXIT_CANNOT_RUN);
	}
}
