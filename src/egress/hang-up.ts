import type net from "node:net";

const lingerMs = 2_000;

/**
 * Ends a socket that has had its last word, and destroys it when the other end has not closed within two seconds after
 * that word was sent. The socket must go on being read: unread input would reset it before the other end has read.
 */
export function hangUp(socket: net.Socket): void {
	if (socket.destroyed) return;
	const linger = () => {
		const timer = setTimeout(() => socket.destroy(), lingerMs);
		socket.once("close", () => clearTimeout(timer));
	};
	if (socket.writableFinished) linger();
	else socket.once("finish", linger);
	socket.end();
}
