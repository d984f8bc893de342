// The public surface of @ccbridge/minecraft-agent: the program, for those who start it themselves, and the
// eight tools, for those who have another way to run commands.
export { RequestError } from "./errors.js";
export { type CommandForm, Game, type GameOptions, type Said } from "./game/game.js";
export { callTool, type Policy } from "./game/tools.js";
export { runAgent, type Surroundings } from "./run.js";
