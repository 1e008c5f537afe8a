/** Compiles src/main.ts into dist/barrel, one executable that carries its packages, its native addon and its source map. */
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import { engines, version } from "../package.json";

const root = join(import.meta.dir, "..");
const targets = [
	"bun-linux-x64",
	"bun-linux-arm64",
	"bun-linux-x64-musl",
	"bun-linux-arm64-musl",
	"bun-darwin-x64",
	"bun-darwin-arm64",
] as const;
type Target = (typeof targets)[number];

const { values } = parseArgs({
	args: process.argv.slice(2),
	options: {
		target: { type: "string" },
		outfile: { type: "string" },
		entry: { type: "string", default: join(root, "src/main.ts") },
	},
});

/** This machine's target. The head of an executable names its loader, which tells musl from glibc. */
async function findOwnTarget(): Promise<string> {
	const head = await Bun.file(process.execPath).slice(0, 4096).text();
	return `bun-${process.platform}-${process.arch}${head.includes("/ld-musl-") ? "-musl" : ""}`;
}

/** The name better-sqlite3 gives to the same platform, such as `linuxmusl-x64`. */
function addonPlatform(target: Target): string {
	const [, system, arch, libc] = target.split("-");
	return `${system}${libc ?? ""}-${arch}`;
}

/**
 * The bare import of better-sqlite3 looks for its addon on disk, so it is replaced by the entry that names the platform.
 * Bun would unpack the addon to a file in TMPDIR, which stays there and needs a TMPDIR that is writable and not mounted
 * noexec; on Linux it is loaded from memory instead.
 */
function sqlitePlugin(target: Target): BunPlugin {
	const platform = addonPlatform(target);
	const addon = Bun.resolveSync(`better-sqlite3/package.json`, root).replace(
		/package\.json$/,
		`prebuilds/${platform}.node`,
	);
	return {
		name: "better-sqlite3 in one file",
		setup(build) {
			build.onResolve({ filter: /^better-sqlite3$/ }, () => ({
				path: Bun.resolveSync(`better-sqlite3/${platform}`, root),
			}));
			if (!platform.startsWith("linux")) return;
			build.onResolve({ filter: /\/prebuilds\/.*\.node$/ }, ({ path, kind }) =>
				kind === "require-call" && !path.startsWith("/")
					? { path: basename(addon), namespace: "addon-from-memory" }
					: undefined,
			);
			build.onLoad({ filter: /.*/, namespace: "addon-from-memory" }, () => ({
				loader: "js",
				contents: loadFromMemory(addon, libcOf(target)),
			}));
		},
	};
}

function libcOf(target: Target): string {
	if (!target.endsWith("musl")) return "libc.so.6";
	return `libc.musl-${target.includes("arm64") ? "aarch64" : "x86_64"}.so.1`;
}

/** The module that stands in for the addon. Where there is no memfd (an old or locked-down kernel) Bun unpacks it after all. */
function loadFromMemory(addon: string, libc: string): string {
	return `
		import embedded from ${JSON.stringify(addon)} with { type: "file" };
		import { dlopen } from "bun:ffi";
		import { closeSync, readFileSync, writeFileSync } from "node:fs";
		const loaded = { exports: {} };
		const closeOnExec = 1;
		let fd = -1;
		try {
			const c = dlopen(${JSON.stringify(libc)}, { memfd_create: { args: ["cstring", "u32"], returns: "i32" } });
			fd = c.symbols.memfd_create(Buffer.from("better-sqlite3\\0"), closeOnExec);
			c.close();
			writeFileSync(fd, readFileSync(embedded));
			process.dlopen(loaded, "/proc/self/fd/" + fd);
		} catch {
			process.dlopen(loaded, embedded);
		} finally {
			if (fd >= 0) closeSync(fd);
		}
		module.exports = loaded.exports;
	`;
}

async function build(target: Target, ownTarget: string): Promise<void> {
	const outfile =
		values.outfile ?? join(root, "dist", target === ownTarget ? "barrel" : target.replace("bun", "barrel"));
	await Bun.build({
		entrypoints: [values.entry],
		// The map keeps stack traces readable, and keeps Bun from showing users the deprecation warnings (DEP0169 of
		// http-proxy) that it reports only for code outside node_modules.
		sourcemap: "inline",
		// Each session starts the binary twice anew: parsed ahead of time it is up in a quarter of the time.
		bytecode: true,
		format: "esm",
		minify: { whitespace: true, syntax: true, identifiers: false },
		define: { BARREL_VERSION: JSON.stringify(version) },
		plugins: [sqlitePlugin(target)],
		compile: {
			target,
			outfile,
			// A .env or bunfig.toml in the folder where a user happens to be is none of our business.
			autoloadDotenv: false,
			autoloadBunfig: false,
		},
	});
	await Bun.file(`${outfile}.map`)
		.delete()
		.catch(() => {});
	const { size } = Bun.file(outfile);
	console.log(`build: ${outfile} (${target}, ${Math.round(size / 1e6)} MB)`);
}

if (Bun.version !== engines.bun)
	throw new Error(`This is Bun ${Bun.version}, package.json asks for ${engines.bun}.`);
const ownTarget = await findOwnTarget();
const wanted = values.target ?? ownTarget;
const target = targets.find((known) => known === wanted);
if (target === undefined) {
	console.error(`build: no target ${wanted}; there are ${targets.join(", ")}.`);
	process.exit(2);
}
await build(target, ownTarget);
