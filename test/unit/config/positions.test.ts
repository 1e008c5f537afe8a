import { expect, test } from "vitest";
import { keyLines, lineOf } from "../../../src/config/positions.ts";
import { problemsOf } from "./fixture.ts";

const toml = `# [server] in a comment
title = "a = b # no comment"

[server] # comment
listen = '''
[fake]
key = 1'''
"quoted key" . 'a/b~c' = 1
  list = [ # [x]
    "one", """two "" with
    break\\"""", # three
    [ 1, 2 ],
    { inner = 1, deep = { x = [
      1 ] } },
  ]
after.dotted.key = 2
empty = ""
many = """a"""""

[[images]]
id = "a"
[[images.parts]]
n = 1
[[images.parts]]
n = 2
[images.extra]
e = 1
[[images]]
id = "b"
[[images.parts]]
n = 3
date = 1979-05-27 07:32:00
last = true`;

test.each([
	["/title", 2],
	["/server", 4],
	["/server/listen", 5],
	["/server/quoted key", 8],
	["/server/quoted key/a~1b~0c", 8],
	["/server/list", 9],
	["/server/list/0", 10],
	["/server/list/1", 10],
	["/server/list/2", 12],
	["/server/list/2/1", 12],
	["/server/list/3/inner", 13],
	["/server/list/3/deep/x/0", 14],
	["/server/after", 16],
	["/server/after/dotted/key", 16],
	["/server/empty", 17],
	["/server/many", 18],
	["/images/0", 20],
	["/images/0/id", 21],
	["/images/0/parts/1", 24],
	["/images/0/parts/1/n", 25],
	["/images/0/extra/e", 27],
	["/images/1/id", 29],
	["/images/1/parts/0/n", 31],
	["/images/1/parts/0/last", 33],
])("%s stands on line %i", (pointer, line) => {
	expect(keyLines(toml).get(pointer)).toBe(line);
});

test("a key that is not there is placed at the table around it", () => {
	const lines = keyLines(toml);
	expect(lineOf(lines, "/images/1/name")).toBe(28);
	expect(lineOf(lines, "/server/listen/port")).toBe(5);
	expect(lineOf(lines, "/nowhere/at/all")).toBeUndefined();
});

test("line ends of Windows count once", () => {
	expect(keyLines("a = 1\r\n\r\n[b]\r\nc = [\r\n1,\r\n2]\r\nd = 1").get("/b/d")).toBe(7);
});

test.each(["", "[", "= =", "a", "a = [", 'a = "', "a = {b = ", "]]]", "a = [}", "\0"])(
	"ends on a text that is no TOML: %j",
	(text) => {
		expect(keyLines(text).size).toBeLessThan(3);
	},
);

test.each([
	[
		"server.listne = 1",
		"config.toml:1: server.listne is not a key that barrel knows; did you mean server.listen?",
	],
	[
		'listen = "127.0.0.1:1"',
		"config.toml:1: listen is not a key that barrel knows; did you mean server.listen?",
	],
	[
		"[sessions]\nburst = 1",
		"config.toml:2: sessions.burst is not a key that barrel knows; did you mean limits.burst?",
	],
	["[[image]]", "config.toml:1: image is not a key that barrel knows; did you mean images?"],
	["[zebra]", "config.toml:1: zebra is not a key that barrel knows"],
	["[server]\n\n'a b' = 1", 'config.toml:3: server."a b" is not a key that barrel knows'],
	["[[server]]", "config.toml:1: server must be a table, not a list"],
	["[images]", "config.toml:1: images must be a list of [[images]] tables, not a table"],
	["plans = 1979-05-27", "config.toml:1: plans must be a list of [[plans]] tables, not a date"],
	["\n[server]\n__proto__ = 1", "config.toml:3:1: document contains an unsafe property"],
	["server = { limit = 1 }", "config.toml:1: server.limit is not a key that barrel knows"],
])("%j is refused by line and name", (text, problem) => {
	expect(problemsOf(text)).toEqual([problem]);
});
