import { expect, test } from "vitest";
import { problemsOf } from "./fixture.ts";

const location = '[[locations]]\ncode = "de"\nname = "Germany"\n';

test.each([
	["a proxy of another kind", '[residential]\nproxy = "ftp://u:hunter2@h:1"'],
	["a proxy without port", '[residential]\nproxy = "http://u:hunter2@h"'],
	["a password that is not encoded", '[residential]\nproxy = "http://u:hunter2#x@h:1"'],
	["an unknown placeholder", '[residential]\nproxy = "http://u-{city}:hunter2@h:1"'],
	["a list of proxies", '[residential]\nproxy = ["http://u:hunter2@h:1"]'],
	["a proxy in place of the table", 'residential = "hunter2"'],
	["a proxy in place of the cities", `${location}cities = "http://u:hunter2@h:1"`],
	["proxies in place of the cities", `${location}cities = ["http://u:hunter2@h:1"]`],
	[
		"a city's proxy",
		`${location}cities = [{ code = "de-bonn", location = "Bonn", proxy = "u:hunter2@h:1" }]`,
	],
	["a proxy in place of an egress target", '[egress]\nallow = ["http://u:hunter2@h:1"]'],
	["a proxy under a wrong key", '[residential]\nprxy = "http://u:hunter2@h:1"'],
	["a proxy as the key", '[residential]\n"http://u:hunter2@h:1" = true'],
	["a proxy in place of an id", '[[images]]\nid = "http://u:hunter2@h:1"\nname = "x"'],
	["a proxy as a flag", '[[images]]\nid = "a"\nname = "A"\nflags = ["--proxy-server=http://u:hunter2"]'],
	["a password where the syntax breaks", '[residential]\nproxy = "http://u:hunter2@h:1'],
	["a password where a value should be", "[residential]\nproxy = hunter2"],
])("refuses %s without repeating it", (_, toml) => {
	const problems = problemsOf(toml);
	expect(problems).not.toEqual([]);
	expect(problems.join("\n")).not.toContain("hunter2");
});

test("an environment variable with a wrong proxy is named, not quoted", () => {
	const problems = problemsOf("", { env: { BARREL__RESIDENTIAL__PROXY: "u:hunter2@h" } });
	expect(problems).toEqual([
		expect.stringMatching(/^BARREL__RESIDENTIAL__PROXY must be of the form http:\/\//),
	]);
	expect(problems.join("")).not.toContain("hunter2");
});
