import type { ServerPolicy } from "@ccbridge/mcp-tools";
import type { Policy } from "@ccbridge/minecraft-agent";
import { CommandPatterns, commandTools } from "@ccbridge/protocol/minecraft";
import type { Clients } from "../auth/clients.js";
import type { Client } from "../auth/rights/client.js";
import { splitPatterns } from "../config/server-settings.js";
import type { Config } from "../config/settings.js";

/**
 * Decides what MCP clients may do on Minecraft servers: what the settings allow all clients, and
 * what the token of a client allows in addition. Commands are limited by patterns only.
 */
export class ServerPolicies {
  readonly #commonTools: readonly string[];
  readonly #patterns: CommandPatterns;
  readonly #clients: Clients;

  constructor({ minecraftTools, minecraftCommands }: Config, clients: Clients) {
    this.#commonTools = [...minecraftTools, ...commandTools];
    this.#patterns = new CommandPatterns(splitPatterns(minecraftCommands));
    this.#clients = clients;
  }

  of({ rights }: Client): ServerPolicy {
    return {
      tools: new Set([...this.#commonTools, ...(rights.allow ?? [])]),
      checkCommand: (command) => {
        const checked = this.#patterns.check(command);
        return checked.ok ? undefined : checked.reason;
      },
      hint: "The bridge's owner allows tools with MINECRAFT_TOOLS, or allow= for one token, and commands with MINECRAFT_COMMANDS.",
    };
  }

  /** For command computers, where the bridge is also the server's side: what at least one client may do. */
  get farEnd(): Policy {
    const granted = this.#clients.list().flatMap(({ rights }) => rights.allow ?? []);
    return { tools: new Set([...this.#commonTools, ...granted]), patterns: this.#patterns };
  }
}
