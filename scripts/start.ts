/** Runs dist/barrel; on the first run it makes the owner's account and prints address, password, key and a first session. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const binary = join(import.meta.dir, "..", "dist", "barrel");
const OWNER = "owner@localhost";

const args = process.argv.slice(2);
const { values } = parseArgs({ args, options: { config: { type: "string" } } });
const configArgs = values.config === undefined ? [] : ["--config", values.config];

interface Beginning {
	password: string;
	key: string;
}

async function barrel<T>(...command: string[]): Promise<T> {
	const child = Bun.spawn([binary, ...command, ...configArgs, "--json"], {
		stdout: "pipe",
		stderr: "inherit",
	});
	const output = await new Response(child.stdout).text();
	if ((await child.exited) !== 0) process.exit(1);
	return JSON.parse(output);
}

/** Makes the owner's account when there is none yet. */
async function begin(): Promise<Beginning | undefined> {
	const accounts = await barrel<unknown[]>("account", "list");
	if (accounts.length > 0) return undefined;
	const { password } = await barrel<{ password: string }>("account", "add", "--email", OWNER);
	const { key } = await barrel<{ key: string }>("key", "add", "--account", OWNER, "--name", "first key");
	return { password, key };
}

function welcome(address: string, { password, key }: Beginning): string {
	return `
barrel is running. This is shown only now:

  address   ${address}
  e-mail    ${OWNER}
  password  ${password}
  app key   ${key}

A first session (needs Node 20 or later); paste it into another terminal:

mkdir -p first-session && cd first-session && npm install --silent playwright-core
cat > first.mjs <<'END'
import { chromium } from "playwright-core";

const sessions = "${address}/v8/web/sessions";
const headers = { authorization: "Bearer " + process.env.BARREL_KEY, "content-type": "application/json" };
const body = JSON.stringify({ url: process.env.PAGE ?? "https://example.com/" });
const session = await (await fetch(sessions, { method: "POST", headers, body })).json();
if (session.status !== "ok") throw new Error(session.message);
const browser = await chromium.connectOverCDP(session.connectUrl);
const [page] = browser.contexts()[0].pages();
console.log(await page.title());
await browser.close();
await fetch(sessions + "/" + session.id, { method: "DELETE", headers });
END
BARREL_KEY=${key} node first.mjs

`;
}

const daemon = spawn(binary, ["serve", ...configArgs], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
// A terminal's Ctrl-C reaches the daemon by itself; what is sent to this process alone is handed on.
process.on("SIGINT", () => process.stdin.isTTY || daemon.kill("SIGINT"));
process.on("SIGTERM", () => daemon.kill("SIGTERM"));
daemon.on("exit", (code) => process.exit(code ?? 1));
async function onListening(message: unknown): Promise<void> {
	const { address } = Value.Parse(Type.Object({ address: Type.String() }), message);
	const beginning = await begin();
	if (beginning !== undefined) process.stdout.write(welcome(address, beginning));
}

daemon.once("message", (message) => void onListening(message));
