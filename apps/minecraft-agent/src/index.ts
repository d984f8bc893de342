// The public surface of @ccbridge/minecraft-agent: the program, for those who start it themselves.
export { runAgent, type Surroundings } from "./run.js";
