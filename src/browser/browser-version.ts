import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const known = new Map<string, Promise<string>>();

async function ask(executable: string): Promise<string> {
	const { stdout } = await run(executable, ["--version"], {
		timeout: 10_000,
		env: { PATH: "/usr/bin:/bin" },
	});
	const major = /(\d+)\.\d+\.\d+/.exec(stdout)?.[1];
	if (major === undefined) throw new Error(`${executable} --version does not name a version`);
	return major;
}

/** The major version of a browser, asked for once per executable. */
export function browserMajorVersion(executable: string): Promise<string> {
	const asked = known.get(executable);
	if (asked !== undefined) return asked;
	const answer = ask(executable);
	known.set(executable, answer);
	answer.catch(() => known.delete(executable));
	return answer;
}
