import type { ServerPolicy } from "@ccbridge/mcp-tools";
import type { Policy } from "@ccbridge/minecraft-agent";
import { CommandPatterns } from "@ccbridge/protocol/minecraft";
import { splitPatterns } from "../config/server-settings.js";
import type { Config } from "../config/settings.js";

/** The same, for the far end where that is this bridge too. */
export function farPolicy({ minecraftTools, minecraftCommands }: Config): Policy {
  return {
    tools: new Set([...minecraftTools, "execute_command"]),
    patterns: new CommandPatterns(splitPatterns(minecraftCommands)),
  };
}

/** What AI clients may do on Minecraft servers. Commands are held by their patterns alone. */
export function serverPolicy({ minecraftTools, minecraftCommands }: Config): ServerPolicy {
  const patterns = new CommandPatterns(splitPatterns(minecraftCommands));
  return {
    tools: new Set([...minecraftTools, "execute_command"]),
    checkCommand(command) {
      const checked = patterns.check(command);
      return checked.ok ? undefined : checked.reason;
    },
    hint: "The bridge's owner allows tools with MINECRAFT_TOOLS and commands with MINECRAFT_COMMANDS.",
  };
}
