/**
 * The command line that puts a shim into its cage: a network namespace with one routeless link, then bubblewrap with every
 * other namespace, no host files but what Chrome reads, private and sized scratch space. As root the cage's processes get
 * a real user of their own; otherwise a user namespace maps the daemon's user to uid 1000.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";

/** Where things are inside the cage. */
export const inCage = {
	self: "/opt/barrel/barrel",
	in: "/run/barrel/in",
	out: "/run/barrel/out",
	home: "/home/browser",
	profile: "/home/browser/profile",
	debugPort: 9222,
	proxyPort: 3128,
} as const;

const MB = 1024 * 1024;
const sizes = { home: 2048 * MB, tmp: 512 * MB, shm: 1024 * MB } as const;

const readOnlyIfThere = [
	"/etc/fonts",
	"/etc/ssl/certs",
	"/etc/pki/tls/certs",
	"/etc/pki/ca-trust/extracted",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/alternatives",
	"/var/cache/fontconfig",
];

export interface CageOptions {
	/** The compiled barrel binary on the host. */
	self: string;
	inDir: string;
	outDir: string;
	executable: string;
	/** A real uid for the session's processes; only a root daemon can give one. */
	uid: number | undefined;
	/** bubblewrap before 0.8 cannot size a tmpfs. */
	canSizeTmpfs: boolean;
	/** What runs inside. */
	program: readonly string[];
}

/** What runs inside a session's cage. */
export const shimProgram = [inCage.self, "shim"] as const;

/** /bin, /lib and their like as the host has them: links into /usr, or folders of their own on unmerged systems. */
function rootLinks(): string[] {
	return ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap((path) => {
		try {
			return lstatSync(path).isSymbolicLink()
				? ["--symlink", readlinkSync(path), path]
				: ["--ro-bind", path, path];
		} catch {
			return [];
		}
	});
}

/** The folder of a browser that is not below /usr, which the cage has anyway. */
function browserFolders(executable: string): string[] {
	const folder = dirname(executable);
	const isVisible = folder.startsWith("/usr/") && !folder.startsWith("/usr/local/");
	return isVisible ? [] : [folder];
}

/**
 * Makes the folders that lead to what is bound. Left to itself, bubblewrap makes them for its own user alone, and as root
 * that is not the user who runs in the cage.
 */
function foldersAbove(paths: readonly string[]): string[] {
	const above = new Set<string>();
	for (const path of paths) {
		const names = dirname(path).split("/").filter(Boolean);
		for (const [index] of names.entries()) above.add(`/${names.slice(0, index + 1).join("/")}`);
	}
	const isMade = (folder: string) => folder !== "/usr" && !folder.startsWith("/usr/");
	return [...above].filter(isMade).flatMap((folder) => ["--perms", "0755", "--dir", folder]);
}

/** What the browser, and with it every page's process, finds in its environment. */
export const cagedEnvironment = {
	HOME: inCage.home,
	PATH: "/usr/bin:/bin",
	LANG: "C.UTF-8",
	TMPDIR: "/tmp",
	XDG_RUNTIME_DIR: "/tmp",
	DBUS_SESSION_BUS_ADDRESS: "disabled:",
	DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
} as const;

function shimEnvironment(): string[] {
	// The shim only moves bytes: without the JIT it costs a few megabytes instead of tens.
	const variables = { ...cagedEnvironment, BUN_JSC_useJIT: "0" };
	return Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]);
}

function bubblewrapArguments(options: CageOptions): string[] {
	const isRoot = options.uid !== undefined;
	const browser = browserFolders(options.executable);
	const tmpfs = (path: string, bytes: number) => [
		"--perms",
		"1777",
		...(options.canSizeTmpfs ? ["--size", String(bytes)] : []),
		"--tmpfs",
		path,
	];
	return [
		...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
		...(isRoot ? [] : ["--unshare-user", "--uid", "1000", "--gid", "1000"]),
		...["--new-session", "--hostname", "browser"],
		...["--ro-bind", "/usr", "/usr", "--tmpfs", "/usr/local"],
		...["--ro-bind-try", "/usr/local/share/fonts", "/usr/local/share/fonts"],
		...rootLinks(),
		...foldersAbove([...readOnlyIfThere, ...browser, inCage.home, inCage.in, inCage.self]),
		...readOnlyIfThere.flatMap((path) => ["--ro-bind-try", path, path]),
		...["--proc", "/proc", "--dev", "/dev"],
		...tmpfs("/dev/shm", sizes.shm),
		...tmpfs("/tmp", sizes.tmp),
		...tmpfs(inCage.home, sizes.home),
		// After the scratch space, which would hide a browser that lies below /tmp.
		...browser.flatMap((folder) => ["--ro-bind", folder, folder]),
		...["--ro-bind", options.inDir, inCage.in, "--bind", options.outDir, inCage.out],
		...["--ro-bind", options.self, inCage.self],
		// These two would else be scratch space without a limit for an ordinary user's sessions.
		...["--remount-ro", "/usr/local", "--remount-ro", "/dev"],
		...["--remount-ro", "/", "--chdir", "/", "--clearenv"],
		...shimEnvironment(),
	];
}

/** Becomes an ordinary user for good. */
export function setprivCommand(uid: number): string[] {
	return [
		"setpriv",
		`--reuid=${uid}`,
		`--regid=${uid}`,
		"--clear-groups",
		"--bounding-set=-all",
		"--inh-caps=-all",
		"--no-new-privs",
	];
}

/** The whole chain, program first. */
export function cageCommand(options: CageOptions): string[] {
	const isRoot = options.uid !== undefined;
	return [
		"unshare",
		...(isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"]),
		"--net",
		"--",
		options.self,
		"cage-net",
		"bwrap",
		...bubblewrapArguments(options),
		"--",
		...(options.uid === undefined ? [] : setprivCommand(options.uid)),
		...options.program,
	];
}
