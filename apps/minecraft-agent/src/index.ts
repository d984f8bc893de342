// The program, for embedding, and the eight tools, for hosts that run commands by other means.
export { RequestError } from "./errors.js";
export { type CommandForm, Game, type GameOptions, type CommandResult } from "./game/game.js";
export { callTool, type Policy } from "./game/tools.js";
export { runAgent, type ProcessEnv } from "./run.js";
