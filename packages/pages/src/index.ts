export { type ConnectOptions, connect, type Page, type PageState } from "./page.js";
export type { ArgumentsOf, Field, Input, Run, RunContext, Tool } from "./tool.js";
