// The program, for embedding.
export { type ProcessEnv, runAgent } from "./run.js";
