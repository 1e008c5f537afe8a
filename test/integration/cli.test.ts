import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AccountStore } from "../../src/accounts/account-store.ts";
import { AppKeyStore } from "../../src/accounts/app-key-store.ts";
import { newSessionId } from "../../src/base/ids.ts";
import { integer } from "../../src/store/columns.ts";
import { lockDataDir } from "../../src/store/data-dir-lock.ts";
import { openStore } from "../../src/store/database.ts";
import { CommandLine } from "./cli.ts";

const iso = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const addAda = ["account", "add", "--email", "ada@example.org"] as const;

describe("account", () => {
	test("add makes a verified account with the first plan and a generated password that works", async () => {
		using cli = new CommandLine();
		const made = await cli.json(addAda);
		expect(made).toEqual({
			id: 1,
			email: "ada@example.org",
			firstname: "",
			lastname: "",
			password: expect.stringMatching(/^[0-9A-Za-z]{20}$/),
			plans: ["analyst"],
			verified: true,
		});
		using store = openStore({ dataDir: cli.dataDir });
		const password =
			typeof made === "object" && made !== null && "password" in made ? String(made.password) : "";
		expect(await new AccountStore(store, []).findByPassword("ada@example.org", password)).toBeDefined();
	});

	test("add prints a generated password for people, too", async () => {
		using cli = new CommandLine();
		const { code, stdout, stderr } = await cli.run(addAda);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(
			/^made account 1 for ada@example\.org, plan analyst\npassword \(shown only now\): \w{20}\n$/,
		);
	});

	test("add takes names, several plans, and the first line of standard input as the password", async () => {
		using cli = new CommandLine();
		const options = ["--firstname", "Ada", "--lastname", "Lovelace", "--plan", "team", "--plan", "analyst"];
		const made = await cli.json(
			[...addAda, ...options, "--password-stdin", "--unverified"],
			"pass word \r\nsecond\n",
		);
		expect(made).toEqual({
			id: 1,
			email: "ada@example.org",
			firstname: "Ada",
			lastname: "Lovelace",
			plans: ["team", "analyst"],
			verified: false,
		});
		using store = openStore({ dataDir: cli.dataDir });
		expect(await new AccountStore(store, []).findByPassword("ada@example.org", "pass word ")).toBeDefined();
	});

	test("add ends as soon as the first line is there, without waiting for the end of the input", async () => {
		using cli = new CommandLine();
		const outcome = await cli.run([...addAda, "--password-stdin"], {
			stdin: "some password\n",
			keepStdinOpen: true,
		});
		expect(outcome).toMatchObject({ code: 0, stderr: "" });
	});

	test("list shows the accounts, and none at first", async () => {
		using cli = new CommandLine();
		expect(await cli.json(["account", "list"])).toEqual([]);
		await cli.run(addAda);
		expect(await cli.json(["account", "list"])).toEqual([
			{
				id: 1,
				email: "ada@example.org",
				firstname: "",
				lastname: "",
				plans: ["analyst"],
				verified: true,
				createdAt: iso,
			},
		]);
		expect((await cli.run(["account", "list"])).stdout).toMatch(
			/^ID +E-MAIL .*\n1 +ada@example\.org +analyst +yes\n$/,
		);
	});

	test("verify, set-password, subscribe and remove change what list shows", async () => {
		using cli = new CommandLine();
		await cli.run([...addAda, "--unverified"]);
		const email = ["--email", "ADA@example.org"] as const;
		const who = { id: 1, email: "ada@example.org", firstname: "", lastname: "" };
		expect(await cli.json(["account", "verify", ...email])).toEqual({ ...who, verified: true });
		expect(await cli.json(["account", "set-password", ...email])).toEqual({
			...who,
			password: expect.any(String),
		});
		expect(await cli.json(["account", "set-password", ...email, "--password-stdin"], "new password")).toEqual(
			who,
		);
		expect(
			await cli.json(["account", "subscribe", ...email, "--plan", "team", "--ends", "2999-12-31"]),
		).toEqual({
			id: 2,
			email: "ada@example.org",
			plan: "team",
			createdAt: iso,
			endsAt: "2999-12-31T23:59:59.999Z",
		});
		expect(await cli.json(["account", "list"])).toMatchObject([
			{ verified: true, plans: ["analyst", "team"] },
		]);
		expect(await cli.json(["account", "remove", ...email])).toEqual(who);
		expect(await cli.json(["account", "list"])).toEqual([]);
	});
});

describe("key", () => {
	test("add shows the key once, list shows the rest, revoke ends it", async () => {
		using cli = new CommandLine();
		await cli.run(addAda);
		const made = await cli.json([
			"key",
			"add",
			"--account",
			"ada@example.org",
			"--name",
			"ci",
			"--expires",
			"2999-12-31",
		]);
		const key = typeof made === "object" && made !== null && "key" in made ? String(made.key) : "";
		const seen = {
			id: 1,
			name: "ci",
			prefix: key.slice(0, 13),
			createdAt: iso,
			expiresAt: "2999-12-31T23:59:59.999Z",
		};
		expect(made).toEqual({ ...seen, key: expect.stringMatching(/^brl-k-v7-[0-9A-Za-z]{43}$/) });
		const list = ["key", "list", "--account", "ada@example.org"] as const;
		expect(await cli.json(list)).toEqual([{ ...seen, lastUsedAt: null }]);
		expect((await cli.run(list)).stdout).toContain(`${key.slice(0, 13)}…`);

		using store = openStore({ dataDir: cli.dataDir });
		const keys = new AppKeyStore(store, new AccountStore(store, []));
		expect(keys.findByKey(key, Date.now())?.account.email).toBe("ada@example.org");
		expect(await cli.json(["key", "revoke", "1"])).toEqual({ ...seen, lastUsedAt: null, revokedAt: iso });
		expect(keys.findByKey(key, Date.now())).toBeUndefined();
		expect(await cli.json(list)).toEqual([]);
	});
});

describe("session", () => {
	test("list shows what is live, stop asks for its end", async () => {
		using cli = new CommandLine();
		expect(await cli.json(["session", "list"])).toEqual([]);
		await cli.run(addAda);
		using store = openStore({ dataDir: cli.dataDir });
		const id = newSessionId();
		store
			.command(
				`INSERT INTO sessions (id, account_id, started_by_kind, name, image, screen_width, screen_height, status,
				                       created_at, last_seen_at, expires_at)
				 VALUES (@id, 1, 'agent', 'calm-otter-7', 'chrome', 1366, 768, 'running', 1, 1, 1)`,
			)
			.run({ id });
		expect(await cli.json(["session", "list", "--account", "ada@example.org"])).toMatchObject([
			{ id, status: "running" },
		]);
		expect((await cli.run(["account", "remove", "--email", "ada@example.org"])).stderr).toContain(
			"still has a live session",
		);
		expect((await cli.run(["session", "stop", id])).code).toBe(0);
		const asked = store.query({ at: integer }, "SELECT stop_requested_at AS at FROM sessions").get();
		expect(Date.now() - asked.at).toBeLessThan(60_000);
	});
});

test("version names the version", async () => {
	using cli = new CommandLine();
	expect(await cli.json(["version"])).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
	expect((await cli.run(["version"])).stdout).toMatch(/^barrel \d+\.\d+\.\d+ \(Bun /);
});

describe("config check", () => {
	test("says where the configuration is", async () => {
		using cli = new CommandLine();
		expect(await cli.json(["config", "check"])).toEqual({ valid: true, file: cli.configFile });
		const other = join(cli.folder, "other.toml");
		writeFileSync(other, "");
		expect(await cli.json(["config", "check", "--config", "other.toml"])).toEqual({
			valid: true,
			file: other,
		});
	});

	test("names file, line and key of what is wrong, and touches no database", async () => {
		using cli = new CommandLine();
		writeFileSync(cli.configFile, "[server]\nlissten = 1\n");
		const { code, stdout, stderr } = await cli.run(["config", "check"]);
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(/^barrel: config\.toml:2: .*lissten/);
		expect(existsSync(cli.dataDir)).toBe(false);
	});
});

describe("errors", () => {
	const failures: readonly (readonly [string, string])[] = [
		[
			"account add --email ada@example.org",
			"there is an account with the e-mail address ada@example.org already",
		],
		["account add --email nobody", '"nobody" is not an e-mail address'],
		[
			"account add --email b@example.org --plan gold",
			'there is no plan "gold"; the plans are: analyst, team',
		],
		["account add --email b@example.org --password-stdin", "no password came in on standard input"],
		["account verify --email b@example.org", 'there is no account with the e-mail address "b@example.org"'],
		[
			"account set-password --email b@example.org",
			'there is no account with the e-mail address "b@example.org"',
		],
		["account remove --email b@example.org", 'there is no account with the e-mail address "b@example.org"'],
		["account subscribe --email ada@example.org --plan gold", 'there is no plan "gold"'],
		["account subscribe --email ada@example.org --plan team --ends 2020-01-01", "2020-01-01 is in the past"],
		[
			"key add --account b@example.org --name ci",
			'there is no account with the e-mail address "b@example.org"',
		],
		[
			"key add --account ada@example.org --name ci --expires soon",
			'"soon" is not a date of the form YYYY-MM-DD',
		],
		[
			`key add --account ada@example.org --name ${"x".repeat(65)}`,
			"the name of a key takes 1 to 64 characters",
		],
		["key list --account b@example.org", 'there is no account with the e-mail address "b@example.org"'],
		["key revoke 7", "there is no app key 7"],
		["session list --account b@example.org", 'there is no account with the e-mail address "b@example.org"'],
		["session stop brl-v-v7-0", "there is no session brl-v-v7-0"],
		["account list --config nowhere.toml", "nowhere.toml: there is no such file"],
	];

	test("are one sentence on standard error and exit status 1", async () => {
		using cli = new CommandLine();
		await cli.run(addAda);
		for (const [line, sentence] of failures) {
			const { code, stdout, stderr } = await cli.run(line.split(" "));
			expect({ line, code, stdout }).toEqual({ line, code: 1, stdout: "" });
			expect(stderr).toContain(`barrel: ${sentence}`);
			expect(stderr.trimEnd()).not.toContain("\n");
		}
	}, 30_000);

	test("of use are exit status 2", async () => {
		using cli = new CommandLine();
		const lines = [
			[],
			["nothing"],
			["account"],
			["account", "add"],
			["account", "add", "--email"],
			["account", "list", "--all"],
			["account", "list", "extra"],
			["key", "revoke"],
			["key", "revoke", "ci"],
			["session", "stop"],
		];
		for (const line of lines) {
			const { code, stdout, stderr } = await cli.run(line);
			expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: "" });
			expect(stderr).not.toMatch(/^\s+at /m);
		}
	}, 30_000);

	test("of storage name the file", async () => {
		using cli = new CommandLine();
		writeFileSync(cli.dataDir, "");
		expect(await cli.run(["account", "list"])).toMatchObject({
			code: 1,
			stdout: "",
			stderr: expect.stringMatching(/^barrel: cannot use .*data.*\n$/),
		});
	});
});

test("--help of each command has an example, and one line for each option", async () => {
	using cli = new CommandLine();
	const commands = {
		account: ["add", "list", "verify", "set-password", "subscribe", "remove"],
		key: ["add", "list", "revoke"],
		session: ["list", "stop"],
		config: ["check"],
	};
	const lines = Object.entries(commands).flatMap(([group, names]) => names.map((name) => [group, name]));
	for (const line of [["serve"], ["version"], ...lines]) {
		const { code, stdout, stderr } = await cli.run([...line, "--help"]);
		expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
		expect(stdout).toContain(`Example:\n  barrel ${line.join(" ")}`);
		const [, options = ""] = /\nOptions:\n([^]*?)\n\n/.exec(stdout) ?? [];
		for (const option of options.split("\n")) expect(option).toMatch(/^ {2}-/);
		for (const name of ["--config <file>", "--json"]) expect(options).toContain(name);
	}
}, 30_000);

test("commands work next to a daemon that is writing", async () => {
	using cli = new CommandLine();
	using _lock = lockDataDir(cli.dataDir);
	using store = openStore({ dataDir: cli.dataDir });
	store.command("BEGIN IMMEDIATE").run();
	const adding = cli.run(addAda);
	await Bun.sleep(800);
	store.command("COMMIT").run();
	expect(await adding).toMatchObject({ code: 0, stderr: "" });
	expect(new AccountStore(store, []).findByEmail("ada@example.org")).toBeDefined();
});

test("a reader that closes the pipe early is no error", async () => {
	using cli = new CommandLine();
	const { stdout, stderr } = spawnSync(
		"bash",
		["-c", `{ sleep 0.2; "${process.execPath}" "${cli.main}" account list; echo "exit $?" >&2; } | true`],
		{ cwd: cli.folder, encoding: "utf8" },
	);
	expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "exit 0\n" });
});
