/** How to run proxies of other authors, as Debian packages them, on loopback with passwords of the tests. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { certificates, findProgram, write } from "./upstream-certificates.ts";

export const user = "user";
const password = "p@ss:w/rd";

/** What tinyproxy can have for one. */
const plainPassword = "p.ss-w0rd";

export interface Recipe {
	/** The Debian package and the program of it that must be there. */
	readonly package: string;
	readonly program: string;
	readonly protocol: "http" | "https" | "socks4" | "socks5";
	/** Undefined for a proxy that asks for none. */
	readonly password: string | undefined;
	/** False for dante's socks4, which takes 4a's sign that a name follows for an address (so it does for curl). */
	readonly takesNames: boolean;
	/** False for v2ray, which says yes before it has tried. */
	readonly reportsFailures: boolean;
	/** The status by which a plain request learns that the password was wrong; 401 of tinyproxy could be the target's own. */
	readonly wrongPasswordStatus: 401 | 502;
	/** Prepares the folder and says how to run the program in the foreground. */
	arguments(folder: string, port: number): string[];
}

function squid(folder: string, listen: string): string[] {
	const hash = execFileSync(findProgram("openssl") ?? "openssl", ["passwd", "-apr1", password], {
		encoding: "utf8",
	}).trim();
	const users = write(folder, "users", [`${user}:${hash}`]);
	const lines = [
		listen,
		`auth_param basic program /usr/lib/squid/basic_ncsa_auth ${users}`,
		"auth_param basic children 2 startup=1 idle=1",
		"acl known proxy_auth REQUIRED",
		"http_access allow known",
		"http_access deny all",
		"cache deny all",
		"cache_mem 1 MB",
		"max_filedescriptors 1024",
		"access_log none",
		"cache_log /dev/null",
		"pid_filename none",
		"pinger_enable off",
		"shutdown_lifetime 0 seconds",
		`coredump_dir ${folder}`,
	];
	return ["-N", "-f", write(folder, "squid.conf", lines)];
}

function dante(folder: string, port: number): string[] {
	const lines = [
		"logoutput: /dev/null",
		`internal: 127.0.0.1 port = ${port}`,
		"external: lo",
		"clientmethod: none",
		"socksmethod: none",
		"user.unprivileged: nobody",
		"client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }",
		"socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 command: connect }",
	];
	return ["-N", "1", "-p", join(folder, "danted.pid"), "-f", write(folder, "danted.conf", lines)];
}

const danteOf = (protocol: "socks4" | "socks5"): Recipe => ({
	package: "dante-server",
	program: "danted",
	protocol,
	password: undefined,
	takesNames: protocol === "socks5",
	reportsFailures: true,
	wrongPasswordStatus: 502,
	arguments: dante,
});

const allRecipes = {
	"tinyproxy, http": {
		package: "tinyproxy",
		program: "tinyproxy",
		protocol: "http",
		password: plainPassword,
		takesNames: true,
		reportsFailures: true,
		wrongPasswordStatus: 401,
		arguments: (folder, port) => {
			const lines = [
				`Port ${port}`,
				"Listen 127.0.0.1",
				"Timeout 60",
				"LogLevel Error",
				`LogFile "${join(folder, "log")}"`,
				"MaxClients 100",
				`BasicAuth ${user} ${plainPassword}`,
			];
			return ["-d", "-c", write(folder, "tinyproxy.conf", lines)];
		},
	},
	"squid, http": {
		package: "squid-openssl",
		program: "squid",
		protocol: "http",
		password,
		takesNames: true,
		reportsFailures: true,
		wrongPasswordStatus: 502,
		arguments: (folder, port) => squid(folder, `http_port 127.0.0.1:${port}`),
	},
	"squid, https": {
		package: "squid-openssl",
		program: "squid",
		protocol: "https",
		password,
		takesNames: true,
		reportsFailures: true,
		wrongPasswordStatus: 502,
		arguments: (folder, port) => {
			const { certificate, key } = certificates();
			const pem = write(folder, "server.pem", [readFileSync(certificate, "utf8")]);
			const keyFile = write(folder, "server.key", [readFileSync(key, "utf8")]);
			return squid(folder, `https_port 127.0.0.1:${port} tls-cert=${pem} tls-key=${keyFile}`);
		},
	},
	"microsocks, socks5": {
		package: "microsocks",
		program: "microsocks",
		protocol: "socks5",
		password,
		takesNames: true,
		reportsFailures: true,
		wrongPasswordStatus: 502,
		arguments: (_folder, port) => ["-i", "127.0.0.1", "-p", `${port}`, "-u", user, "-P", password],
	},
	"dante, socks5": danteOf("socks5"),
	"dante, socks4": danteOf("socks4"),
	"v2ray, socks4": {
		package: "v2ray",
		program: "v2ray",
		protocol: "socks4",
		password: undefined,
		takesNames: true,
		reportsFailures: false,
		wrongPasswordStatus: 502,
		arguments: (folder, port) => {
			const inbound = { listen: "127.0.0.1", port, protocol: "socks", settings: { auth: "noauth" } };
			const config = { log: { loglevel: "none" }, inbounds: [inbound], outbounds: [{ protocol: "freedom" }] };
			return ["-config", write(folder, "v2ray.json", [JSON.stringify(config)])];
		},
	},
} satisfies Record<string, Recipe>;

export type ProxyName = keyof typeof allRecipes;

export const proxyNames: readonly ProxyName[] = [
	"tinyproxy, http",
	"squid, http",
	"squid, https",
	"microsocks, socks5",
	"dante, socks5",
	"dante, socks4",
	"v2ray, socks4",
];

export function recipeOf(name: ProxyName): Recipe {
	return allRecipes[name];
}

/** Why the proxy cannot be tested here; undefined when it can. */
export function missing(name: ProxyName): string | undefined {
	const recipe = recipeOf(name);
	if (findProgram(recipe.program) === undefined)
		return `${recipe.program} is missing: apt install ${recipe.package}`;
	if (recipe.program !== "squid") return undefined;
	if (findProgram("openssl") === undefined) return "openssl is missing: apt install openssl";
	const hasTls = execFileSync(findProgram("squid") ?? "squid", ["-v"], { encoding: "utf8" }).includes(
		"--with-openssl",
	);
	return recipe.protocol === "https" && !hasTls
		? "this squid has no TLS: apt install squid-openssl"
		: undefined;
}
