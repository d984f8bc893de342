// The eight tools, for hosts that run commands by other means. The program is not loaded with them.
export { RequestError } from "../errors.js";
export { type CommandAnswer, type CommandForm, Game, type GameOptions } from "./game.js";
export { callTool, type Policy } from "./tools.js";
