/** Before the tests with real browsers: a place outside the checkout and, when run as root, an ordinary user to run as. */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
	interface ProvidedContext {
		/** The compiled binary, in a folder that every user can reach. */
		binary: string;
		/** The ordinary user that daemons of the tests run as; undefined: the one who runs the tests. */
		ordinaryUid: number | undefined;
	}
}

function addUser(name: string): number {
	execFileSync("useradd", ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name]);
	return Number(execFileSync("id", ["-u", name], { encoding: "utf8" }));
}

export default function setup(project: TestProject): () => void {
	const built = join(import.meta.dirname, "../../dist/barrel");
	if (!existsSync(built)) throw new Error("dist/barrel is missing: run scripts/build first");
	const place = mkdtempSync(join(tmpdir(), "bt-bin-"));
	chmodSync(place, 0o755);
	const binary = join(place, "barrel");
	copyFileSync(built, binary);
	chmodSync(binary, 0o755);
	const user = process.getuid?.() === 0 ? `barrel-test-${process.pid}` : undefined;
	project.provide("binary", binary);
	project.provide("ordinaryUid", user === undefined ? undefined : addUser(user));
	return () => {
		rmSync(place, { recursive: true, force: true });
		if (user !== undefined) execFileSync("userdel", [user]);
	};
}
