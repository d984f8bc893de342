import type { Kinds, ToolSettings } from "@ccbridge/mcp-tools";
import type { Config } from "../config/settings.js";
import { gameCommand } from "../config/shown-commands.js";

/** The part of the configuration that tools may see: never its tokens. */
export function toolSettings(
  config: Config,
  kinds: Kinds,
  facts: { linkPort(): number; waiting(): number },
): ToolSettings {
  const { probeTimeoutMs, execWaitMs, cancelGraceMs, structured } = config;
  return {
    ...{ probeTimeoutMs, execWaitMs, cancelGraceMs, structured },
    get linkCommand() {
      return gameCommand(config, facts.linkPort());
    },
    waiting: facts.waiting,
    kinds,
  };
}
