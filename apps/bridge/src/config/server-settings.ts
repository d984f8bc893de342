import { createHash } from "node:crypto";
import {
  CommandPatterns,
  EXAMPLE_TOKEN,
  isQuery,
  isToolName,
  type ToolName,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { integer, list, port, setting, text, tokens } from "./setting.js";

/** 80 bits, so that no other secret with the same code can be found. */
const DIGITS = 20;

export function serverCode(computerId: number, secret: string): string {
  const hash = createHash("sha256").update(secret).digest("hex");
  return `${computerId}-${hash.slice(0, DIGITS)}`;
}

export function isServerCode(text: string): boolean {
  return new RegExp(`^\\d{1,10}-[0-9a-f]{${DIGITS}}$`).test(text);
}

/** Not separated by commas, because patterns may contain them. */
export function splitPatterns(patterns: string): string[] {
  return patterns
    .split(/\n|;;/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
}

const patterns = z.string().superRefine((value, context) => {
  for (const pattern of splitPatterns(value)) {
    try {
      new CommandPatterns([pattern]);
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: `holds a bad pattern. ${(error as Error).message}`,
      });
    }
  }
});

export const serverSettings = {
  minecraftTokens: setting(
    "MINECRAFT_TOKENS",
    tokens.refine((items) => !items.includes(EXAMPLE_TOKEN), {
      message: `holds "${EXAMPLE_TOKEN}", which is public`,
    }),
    [] as string[],
    "tokens",
    "Tokens that Minecraft servers must send, separated by commas. None: no server can link.",
  ),
  minecraftTokensFile: setting(
    "MINECRAFT_TOKENS_FILE",
    text,
    "",
    "path",
    "File with more tokens, one per line; lines with # are comments.",
  ),
  minecraftCommandComputers: setting(
    "MINECRAFT_COMMAND_COMPUTERS",
    list.refine((codes) => codes.every(isServerCode), {
      message: `must be codes such as ${serverCode(7, "")}, as the log and the computers show them, separated by commas`,
    }),
    [] as string[],
    "codes",
    "Command computers that may be Minecraft servers (`mcp-computer --server`), by the codes that they and the log show, separated by commas. None: no computer is a server.",
  ),
  minecraftPort: setting(
    "MINECRAFT_PORT",
    port,
    0,
    "port",
    "A separate port for Minecraft servers, such as 8080. 0: they link only on the path /minecraft of the link port.",
  ),
  minecraftTools: setting(
    "MINECRAFT_TOOLS",
    list.refine((names): names is ToolName[] => names.every(isToolName), {
      message: `must be some of ${toolNames.join(", ")}, separated by commas`,
    }) as unknown as z.ZodType<ToolName[], string>,
    toolNames.filter((name) => isQuery(name) || name === "send_message"),
    "tools",
    "What AI clients may do on Minecraft servers. teleport_player, give_item, set_blocks and fill_blocks are off by default; allow= in MCP_TOKENS_FILE allows them to one client.",
  ),
  minecraftTimeoutMs: setting(
    "MINECRAFT_TIMEOUT_MS",
    integer(1_000, 600_000),
    30_000,
    "ms",
    "How long a Minecraft server may take to answer. Then the call fails with TIMEOUT.",
  ),
  minecraftCommands: setting(
    "MINECRAFT_COMMANDS",
    patterns,
    "",
    "patterns",
    "What execute_command may run: regular expressions that must match the whole command, separated by `;;` or line breaks. None: nothing.",
  ),
} as const;
