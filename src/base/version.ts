import packageJson from "../../package.json" with { type: "json" };

/** The release that this binary was built from. */
export const version: string = packageJson.version;
