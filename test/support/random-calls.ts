/** Random calls of the API, most of them nearly valid: known fields with odd values, damaged JSON, paths that are almost right. */
import fc from "fast-check";

const prototypeNames = fc.constantFrom(
	"__proto__",
	"constructor",
	"toString",
	"hasOwnProperty",
	"prototype",
	"valueOf",
);

const oddText = fc.oneof(
	{ weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
	{ weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 140 }) },
	{
		weight: 2,
		arbitrary: fc.constantFrom(
			"",
			" ",
			"\u0000",
			"\ud800",
			"a\udfff",
			"\u202e",
			"﷽",
			"null",
			"'; DROP TABLE sessions;--",
		),
	},
	{ weight: 1, arbitrary: prototypeNames },
	{ weight: 1, arbitrary: fc.integer({ min: 60, max: 5_000 }).map((length) => "🦦".repeat(length)) },
);

/** Values whose text is written by hand: JSON.stringify could not. */
const deepNesting = fc
	.record({
		depth: fc.integer({ min: 1, max: 20_000 }),
		brackets: fc.constantFrom(["[", "]"], ['{"a":', "}"]),
	})
	.map(({ depth, brackets: [open = "", close = ""] }) =>
		`${open.repeat(depth)}1${close.repeat(depth)}`.replace("{1", "{}"),
	);

const oddValue = fc.oneof(
	{ weight: 6, arbitrary: oddText.map((text) => JSON.stringify(text)) },
	{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
	{
		weight: 2,
		arbitrary: fc.constantFrom(
			"null",
			"true",
			"-0",
			"1e999",
			"1e-7",
			"9007199254740993",
			"[]",
			"{}",
			'{"__proto__":{}}',
		),
	},
	{ weight: 1, arbitrary: deepNesting },
);

const json = <T>(arbitrary: fc.Arbitrary<T>) => arbitrary.map((value) => JSON.stringify(value));
const integerNear = (least: number, most: number) =>
	fc.oneof(
		fc.integer({ min: least - 2, max: most + 2 }),
		fc.constantFrom(least - 1, least, most, most + 1, least + 0.5),
	);

/** For each known field what is right or nearly so. */
const fieldValues: Record<string, fc.Arbitrary<string>> = {
	image: json(
		fc.constantFrom("chrome", "second", "off", "missing", "by-hand", "restricted", "Chrome", "netscape"),
	),
	name: json(fc.string({ unit: "grapheme", minLength: 0, maxLength: 66 })),
	url: json(
		fc.oneof(
			fc.webUrl({ withFragments: true, withQueryParameters: true }),
			fc.constantFrom("http://", "https://[", "HTTP://A", "about:blank", "file:///etc/passwd"),
		),
	),
	country: json(fc.constantFrom("de", "de-fra", "de-ber", "us", "fr", "DE", "de-")),
	egress: json(fc.constantFrom("residential", "residential", "direct")),
	proxy: json(
		fc.oneof(
			fc.constantFrom(
				"http://proxy.example:80",
				"socks5://u:p@proxy.example:1080",
				"http://10.0.0.1:80",
				"https://nowhere.example:1",
			),
			fc
				.tuple(fc.constantFrom("http", "https", "socks4", "socks5", "ftp"), fc.ipV4(), integerNear(1, 65_535))
				.map(([scheme, host, port]) => `${scheme}://${host}:${port}`),
		),
	),
	screen: json(
		fc.record(
			{ width: integerNear(320, 1920), height: integerNear(480, 1080), depth: fc.constant(24) },
			{ requiredKeys: ["width", "height"] },
		),
	),
	idempotencyKey: json(
		fc.oneof(fc.constantFrom("a", "b", "c"), fc.string({ unit: "grapheme", minLength: 1, maxLength: 130 })),
	),
};

const member = fc.oneof(
	{
		weight: 14,
		arbitrary: fc
			.constantFrom(...Object.keys(fieldValues))
			.chain((field) => fc.tuple(fc.constant(field), fieldValues[field] ?? oddValue)),
	},
	{ weight: 2, arbitrary: fc.tuple(fc.constantFrom(...Object.keys(fieldValues)), oddValue) },
	{ weight: 1, arbitrary: fc.tuple(fc.oneof(prototypeNames, oddText), oddValue) },
);

const objectText = fc
	.array(member, { maxLength: 4 })
	.map((members) => `{${members.map(([field, value]) => `${JSON.stringify(field)}:${value}`).join(",")}}`);

const damagedText = fc
	.record({
		text: objectText,
		at: fc.nat(),
		put: fc.constantFrom("", "}", "{", '"', ",", "\u0000", "\ufeff", "//"),
	})
	.map(({ text, at, put }) => {
		const place = at % (text.length + 1);
		return text.slice(0, place) + put + text.slice(place + 1);
	});

const body = fc.oneof(
	{ weight: 120, arbitrary: objectText },
	{ weight: 30, arbitrary: damagedText },
	{ weight: 20, arbitrary: oddValue },
	{ weight: 10, arbitrary: fc.uint8Array({ maxLength: 400 }) },
	{ weight: 10, arbitrary: fc.constantFrom(undefined, "", " \n\t") },
	{ weight: 1, arbitrary: fc.constantFrom(`{"name":"${"x".repeat(1_100_000)}"}`, " ".repeat(1_048_577)) },
);

const queryValue = fc.oneof(
	fc.constantFrom(
		"all",
		"1",
		"50",
		"200",
		"0",
		"201",
		"-1",
		"1e2",
		"",
		"ALL",
		"%",
		"%zz",
		"%00",
		"a&limit=2",
		"+7",
	),
	oddText.map((text) => encodeURIComponent(text.slice(0, 300).toWellFormed())),
);

const query = fc
	.array(
		fc.tuple(fc.oneof(fc.constantFrom("status", "limit", "limit[]", "id"), prototypeNames), queryValue),
		{ maxLength: 3 },
	)
	.map((pairs) =>
		pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`,
	);

const oddSegment = fc.oneof(
	oddText.map((text) => encodeURIComponent(text.slice(0, 300).toWellFormed())),
	fc.constantFrom(
		"%",
		"%zz",
		"%E0%A4%A",
		"..",
		"%2e%2e",
		"%2f",
		";",
		":id",
		"*",
		"brl-v-v7-00000000000000000000",
	),
);

/** Leads out of `/v8`. */
const isDots = (segment: string) => /^(?:\.|%2e){2}$/i.test(segment);

/** `<id>` stands for a session that was started before, when there is one. */
const target = fc.oneof(
	{
		weight: 14,
		arbitrary: fc.tuple(
			fc.constantFrom("POST", "POST", "POST", "POST", "POST", "POST", "GET", "GET", "PUT"),
			fc.constant("/web/sessions"),
		),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(
			fc.constantFrom("GET", "GET", "DELETE", "DELETE", "DELETE", "POST"),
			fc.constantFrom(
				"/web/sessions/<id>",
				"/web/sessions/<id>",
				"/web/sessions/<id>/",
				"/web/sessions/<id>/downloads/d1",
			),
		),
	},
	{
		weight: 2,
		arbitrary: fc.tuple(
			fc.constantFrom("GET", "DELETE"),
			oddSegment.map((segment) => `/web/sessions/${segment}`),
		),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(
			fc.constantFrom("GET", "GET", "GET", "GET", "POST", "OPTIONS"),
			fc.constantFrom("/web/usage", "/user/quota", "/image", "/web/usage", "/user/quota/", "/image/chrome"),
		),
	},
	{
		weight: 1,
		arbitrary: fc.tuple(
			fc.constantFrom("GET", "POST", "DELETE", "OPTIONS"),
			oddSegment.filter((segment) => !isDots(segment)).map((segment) => `/${segment}`),
		),
	},
);

const printable = fc.string({ unit: "grapheme-ascii", maxLength: 60 }).map((text) => text.trim());

const headers = fc.record(
	{
		"content-type": fc.oneof(
			{ weight: 6, arbitrary: fc.constant("application/json") },
			{
				weight: 2,
				arbitrary: fc.constantFrom(
					"text/plain",
					"multipart/form-data; boundary=x",
					"application/x-www-form-urlencoded",
					"application/json; charset=utf-16",
					"application/octet-stream",
					"x",
				),
			},
			{ weight: 1, arbitrary: printable },
		),
		"accept-language": fc.oneof(fc.constantFrom("de", "fr;q=0.5, es", "*", ";;q=", "x-y-z"), printable),
		"x-forwarded-for": printable,
		cookie: fc.oneof(fc.constantFrom("a=%zz", "__proto__=1", "=;=;"), printable),
	},
	{ requiredKeys: ["content-type"] },
);

/** One request to the API, and who sends it: the user of that plan, or nobody. */
export const call = fc.record({
	target,
	query: fc.oneof({ weight: 2, arbitrary: fc.constant("") }, { weight: 1, arbitrary: query }),
	headers,
	body,
	who: fc.constantFrom(
		"full",
		"full",
		"full",
		"full",
		"full",
		"full",
		"team",
		"team",
		"five",
		"free",
		"nobody",
	),
	pick: fc.nat(),
});

export type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;
