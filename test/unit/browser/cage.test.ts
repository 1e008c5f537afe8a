import { lstatSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
	type CageOptions,
	cageCommand,
	inCage,
	setprivCommand,
	shimProgram,
} from "../../../src/browser/cage.ts";

const UID = 231_072;

function command(options: Partial<CageOptions> = {}): string[] {
	return cageCommand({
		self: "/srv/barrel",
		inDir: "/run/barrel/brl-v-v7-a/in",
		outDir: "/run/barrel/brl-v-v7-a/out",
		executable: "/usr/lib/chromium/chromium",
		uid: undefined,
		canSizeTmpfs: true,
		program: shimProgram,
		...options,
	});
}

/** The parts between `from` and `to`, both left out. */
function between(given: readonly string[], from: string, to: string): string[] {
	const start = given.indexOf(from) + 1;
	return given.slice(start, given.indexOf(to, start));
}

/** The two arguments of each bind, as `option source target`. */
function binds(given: readonly string[]): string[] {
	return given.flatMap((part, index) =>
		/^--(?:ro-|dev-)?bind(?:-try|-fd|-data)?$/.test(part)
			? [`${part} ${given[index + 1]} ${given[index + 2]}`]
			: [],
	);
}

const isRealFolder = (path: string) => {
	try {
		return !lstatSync(path).isSymbolicLink();
	} catch {
		return false;
	}
};

const variants = [
	["an ordinary user's daemon", undefined],
	["a root daemon", UID],
] as const;

describe.each(variants)("the cage of %s", (_, uid) => {
	const given = command({ uid });
	const bubblewrap = between(given, "bwrap", "--");

	test("has every namespace of its own", () => {
		expect(between(given, "unshare", "--")).toContain("--net");
		for (const namespace of ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"])
			expect(bubblewrap).toContain(namespace);
		expect(given.includes("--unshare-user")).toBe(uid === undefined);
	});

	test("never shares a namespace of the host, the network least of all", () => {
		expect(given.filter((part) => /^--share|-?share-net|--userns|--pidns/.test(part))).toEqual([]);
	});

	test("sees of the host what Chrome reads and the session's own folder, nothing else", () => {
		const systemFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].filter(isRealFolder);
		const expected = [
			"--ro-bind /usr /usr",
			"--ro-bind-try /usr/local/share/fonts /usr/local/share/fonts",
			...systemFolders.map((path) => `--ro-bind ${path} ${path}`),
			...[
				"/etc/fonts",
				"/etc/ssl/certs",
				"/etc/pki/tls/certs",
				"/etc/pki/ca-trust/extracted",
				"/etc/ld.so.cache",
				"/etc/ld.so.conf",
				"/etc/ld.so.conf.d",
				"/etc/alternatives",
				"/var/cache/fontconfig",
			].map((path) => `--ro-bind-try ${path} ${path}`),
			`--ro-bind /run/barrel/brl-v-v7-a/in ${inCage.in}`,
			`--bind /run/barrel/brl-v-v7-a/out ${inCage.out}`,
			`--ro-bind /srv/barrel ${inCage.self}`,
		];
		expect(binds(bubblewrap).sort()).toEqual(expected.sort());
	});

	test("can write to nothing of the host but the session's own out folder", () => {
		expect(binds(bubblewrap).filter((bind) => !bind.startsWith("--ro-"))).toEqual([
			`--bind /run/barrel/brl-v-v7-a/out ${inCage.out}`,
		]);
		expect(bubblewrap).toContain("--remount-ro");
	});

	test("hides what an operator keeps below /usr/local", () => {
		expect(bubblewrap.join(" ")).toContain("--ro-bind /usr /usr --tmpfs /usr/local");
	});

	test("clears the environment before it sets its own", () => {
		const cleared = bubblewrap.indexOf("--clearenv");
		expect(cleared).toBeGreaterThan(-1);
		expect(bubblewrap.indexOf("--setenv")).toBeGreaterThan(cleared);
	});

	test("has no terminal to write to, and outlives the daemon", () => {
		expect(bubblewrap).toContain("--new-session");
		expect(given).not.toContain("--die-with-parent");
	});

	test("brings its links up before anything else, then runs the shim", () => {
		expect(given.slice(given.indexOf("--") + 1).slice(0, 3)).toEqual(["/srv/barrel", "cage-net", "bwrap"]);
		expect(given.slice(-2)).toEqual([inCage.self, "shim"]);
	});

	test("says nothing secret on its command line", () => {
		expect(given.join(" ")).not.toMatch(/secret|token|proof|[\w-]{43}/i);
	});
});

describe("the user inside", () => {
	test("is mapped to uid 1000 for an ordinary user's daemon, without setpriv", () => {
		const given = command();
		expect(between(given, "unshare", "--")).toEqual(["--user", "--map-current-user", "--keep-caps", "--net"]);
		expect(given.join(" ")).toContain("--unshare-user --uid 1000 --gid 1000");
		expect(given).not.toContain("setpriv");
	});

	test("is a real one for a root daemon, set by setpriv and without a user namespace", () => {
		const given = command({ uid: UID });
		expect(between(given, "unshare", "--")).toEqual(["--net"]);
		expect(given.filter((part) => /user|--uid|--gid/.test(part) && !part.includes("/"))).toEqual([]);
		expect(given.slice(given.indexOf("setpriv"))).toEqual([...setprivCommand(UID), ...shimProgram]);
	});

	test("gives up every privilege", () => {
		expect(setprivCommand(UID)).toEqual([
			"setpriv",
			`--reuid=${UID}`,
			`--regid=${UID}`,
			"--clear-groups",
			"--bounding-set=-all",
			"--inh-caps=-all",
			"--no-new-privs",
		]);
	});
});

describe("the browser's folder", () => {
	const bound = (executable: string) =>
		binds(command({ executable })).filter((bind) => bind.includes("chrom"));

	test.each([
		["/opt/google/chrome/chrome", ["--ro-bind /opt/google/chrome /opt/google/chrome"]],
		["/home/ann/chromium/chrome", ["--ro-bind /home/ann/chromium /home/ann/chromium"]],
		["/usr/local/chromium/chrome", ["--ro-bind /usr/local/chromium /usr/local/chromium"]],
		["/usr/lib/chromium/chromium", []],
	])("of %s is bound, read-only, where it is not visible already", (executable, expected) => {
		expect(bound(executable)).toEqual(expected);
	});
});

test("scratch space is sized where bubblewrap can", () => {
	const sized = command().filter((part) => part === "--size");
	expect(sized).toHaveLength(3);
	expect(command({ canSizeTmpfs: false })).not.toContain("--size");
	for (const path of ["/dev/shm", "/tmp", inCage.home])
		expect(command({ canSizeTmpfs: false }).join(" ")).toContain(`--tmpfs ${path}`);
});
