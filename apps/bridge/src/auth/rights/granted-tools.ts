import { nearestName } from "@ccbridge/mcp-tools";
import { commandTools, isToolName, type ToolName, toolNames } from "@ccbridge/protocol/minecraft";

/** Tools of Minecraft servers that a client may use although MINECRAFT_TOOLS excludes them. */
export type GrantedTools = readonly ToolName[];

/** Commands are allowed by patterns only, for all clients alike. */
const grantable = toolNames.filter((name) => !commandTools.includes(name));

export function readGrantedTools(text: string): GrantedTools | string {
  const granted: ToolName[] = [];
  for (const entry of text.split(",").map((name) => name.trim())) {
    if (entry === "") return "holds an empty entry";
    if (!isToolName(entry)) {
      const near = nearestName(entry, grantable);
      const advice = near === undefined ? `write ${grantable.join(", ")}` : `did you mean ${near}?`;
      return `names "${entry.slice(0, 64)}", which is not a tool of Minecraft servers; ${advice}`;
    }
    if (commandTools.includes(entry)) {
      return `cannot hold ${entry}: MINECRAFT_COMMANDS says which commands may run`;
    }
    granted.push(entry);
  }
  return granted;
}
