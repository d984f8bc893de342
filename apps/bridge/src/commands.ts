// The commands beside starting the bridge. One file is loaded for all of them: the parts that each shares with the
// bridge would otherwise be separate files, and every start reads those.
export { allow } from "./cli/allow/allow.js";
export { doctor } from "./cli/doctor/doctor.js";
export { minecraftAgent } from "./cli/minecraft-agent.js";
export { pair } from "./cli/pair.js";
export { printClientConfig } from "./cli/print-client-config.js";
export { token } from "./cli/token.js";
export { updateAgents } from "./cli/update-agents.js";
