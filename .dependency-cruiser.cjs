/** Who may import whom. An allow-list: what is not named here is refused. */
const { Visitor } = require("@swc/core/Visitor.js");

// swc parses `using` but its visitor, which dependency-cruiser walks the tree with, throws at it.
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function (statement) {
	if (statement.type !== "UsingDeclaration") return visitStatement.call(this, statement);
	statement.decls = this.visitVariableDeclarators(statement.decls);
	return statement;
};

/** For each folder of src the other folders it may import; `a/b` names one file. */
const allowed = {
	base: [],
	config: ["base"],
	store: ["base"],
	http: ["base"],
	catalog: ["base"],
	shim: ["base"],
	metrics: ["base"],
	accounts: ["base", "store"],
	egress: ["base", "catalog"],
	sessions: ["base", "store", "accounts", "catalog", "egress"],
	usage: ["base", "store", "accounts", "sessions"],
	browser: ["base", "shim", "sessions/ports"],
	downloads: ["base", "sessions"],
	analysis: ["base", "sessions"],
	cdp: ["base", "http", "sessions"],
	liveview: ["base", "http", "accounts", "sessions", "downloads"],
	api: ["base", "http", "accounts", "catalog", "usage", "sessions", "downloads"],
	mcp: ["base", "http", "accounts", "sessions", "downloads", "catalog", "usage"],
	web: ["base", "http", "accounts", "usage", "sessions", "catalog"],
	cli: ["base", "config", "store", "accounts", "sessions", "daemon"],
};

/** Packages that have one home. */
const homes = {
	"better-sqlite3": "store",
	"chrome-launcher": "shim",
	"chrome-remote-interface": "browser",
	"http-proxy": "cdp",
	"@modelcontextprotocol/[^/]+": "mcp",
	srvx: "http",
	"smol-toml": "config",
};

const folderRule = ([folder, imports]) => ({
	name: `${folder}-imports`,
	comment: `src/${folder} may import ${imports.length > 0 ? imports.join(", ") : "nothing of ours"}.`,
	severity: "error",
	from: { path: `^src/${folder}/` },
	to: {
		path: "^(src|test|scripts)/",
		pathNot: [folder, ...imports].map((name) =>
			name.includes("/") || name === "daemon" ? `^src/${name}\\.ts$` : `^src/${name}/`,
		),
	},
});

const homeRule = ([name, home]) => ({
	name: `${name.replace(/\W+/g, "-")}-home`,
	comment: `Only src/${home} imports ${name}.`,
	severity: "error",
	from: { path: "^src/", pathNot: `^src/${home}/` },
	to: { path: `(^|node_modules/)(@types/)?${name}(/|$)` },
});

module.exports = {
	forbidden: [
		...Object.entries(allowed).map(folderRule),
		...Object.entries(homes).map(homeRule),
		{
			name: "folder-in-list",
			comment: "Every folder of src stands in the list above.",
			severity: "error",
			from: {},
			to: { path: "^src/[^/]+/", pathNot: `^src/(${Object.keys(allowed).join("|")})/` },
		},
		{
			name: "main-imports",
			comment: "src/main.ts leads to commands, to the shim and to base.",
			severity: "error",
			from: { path: "^src/main\\.ts$" },
			to: { path: "^(src|test|scripts)/", pathNot: "^src/(base|cli|shim)/" },
		},
		{
			name: "daemon-imports",
			comment: "src/daemon.ts puts everything together but the commands.",
			severity: "error",
			from: { path: "^src/daemon\\.ts$" },
			to: { path: "^(src/(cli/|main\\.ts$)|test/|scripts/)" },
		},
		{
			name: "top-file",
			comment: "Next to the folders there are main.ts and daemon.ts only.",
			severity: "error",
			from: {},
			to: { path: "^src/[^/]+$", pathNot: "^src/(main|daemon)\\.ts$" },
		},
		{
			name: "no-circle",
			comment: "Circles of types alone are harmless.",
			severity: "error",
			from: {},
			to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
		},
		{
			name: "resolvable",
			severity: "error",
			from: {},
			to: { couldNotResolve: true, pathNot: "^bun(:|$)" },
		},
	],
	options: {
		parser: "swc",
		doNotFollow: { path: "node_modules" },
		tsPreCompilationDeps: true,
		builtInModules: { add: ["bun", "bun:ffi", "bun:jsc", "bun:test"] },
		enhancedResolveOptions: {
			exportsFields: ["exports"],
			conditionNames: ["bun", "import", "require", "node", "default", "types"],
		},
	},
};
