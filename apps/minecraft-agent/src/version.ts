import packageJson from "../package.json" with { type: "json" };

/** The version of this agent, put in place when it is built. */
export const version: string = packageJson.version;
