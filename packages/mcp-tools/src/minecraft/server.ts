import { isQuery, type ToolName, toolNames } from "@ccbridge/protocol/minecraft";
import type { ServerView } from "@ccbridge/registry";
import { findServer } from "@ccbridge/registry";
import { z } from "zod";
import { cleanText, cutEnd } from "../format/text.js";
import type { ServerPolicy, ToolContext } from "../tool/define.js";
import { ToolError } from "../tool/errors.js";

/** A server may have to ask the game several times, each in a tick of its own. */
const ASK_TIMEOUT_MS = 30_000;

/** The argument that says which server is meant; spread into a tool's input. */
export const target = {
  server: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Its name in list-servers, if there are several."),
};

/** What a bridge allows whose owner says nothing: looking and talking. */
const safePolicy: ServerPolicy = {
  tools: new Set(toolNames.filter((name) => isQuery(name) || name === "send_message")),
  checkCommand: () => "No commands are allowed here.",
  hint: "Ask the owner of the bridge to allow it.",
};

export function policyOf({ servers }: ToolContext): ServerPolicy {
  return servers ?? safePolicy;
}

const FailureSchema = z.object({ code: z.string().max(64) }).catch({ code: "SERVER_ERROR" });

/** Has a server do something, if the bridge's owner allows it to this client and the server can. */
export async function askServer(
  context: ToolContext,
  tool: ToolName,
  { server, ...args }: { readonly server?: string | undefined },
): Promise<{ server: ServerView; result: unknown }> {
  const { tools, hint } = policyOf(context);
  if (!tools.has(tool)) {
    throw new ToolError(
      `PERMISSION_DENIED: ${tool} is switched off on this bridge for this client.`,
      hint,
    );
  }
  const { providers, signal } = context;
  const found = await findServer(providers, server);
  requireAbility(found, tool);
  const options = { timeoutMs: ASK_TIMEOUT_MS, signal };
  const answer = await providers.request(found.key, tool, args, options);
  if (answer.ok) return { server: found, result: answer.result };
  const { code } = FailureSchema.parse(answer.result);
  const reason = cleanText(cutEnd(answer.error, 3_000));
  throw new ToolError(`${cleanText(code)} on ${found.name}: ${reason}`, hintFor(code));
}

function requireAbility({ identity, name }: ServerView, tool: ToolName): void {
  if (identity.methods.includes(tool)) return;
  const why = identity.notes[tool] ?? "The way in which it is linked does not have it.";
  throw new ToolError(`${name} cannot do ${tool}. ${why}`, "list-servers shows what it can do.");
}

function hintFor(code: string): string {
  switch (code) {
    case "PLAYER_NOT_FOUND":
      return "get_online_players shows who is online.";
    case "PERMISSION_DENIED":
      return "The owner of the Minecraft server switched it off there.";
    case "INVALID_COMMAND":
      return "Nothing was done. Look at the command's words; if they are right, the owner of the Minecraft server allows commands with allowed_patterns in its minecraft-mcp-bridge.toml.";
    case "TIMEOUT":
      return "Look at the state before you do it again: it may have happened all the same.";
    case "CONNECTION_ERROR":
      return "The Minecraft server itself cannot be reached. Call list-servers later.";
    default:
      return "Correct the call and try again.";
  }
}

/** Reads what a server answered. Throws when it is not what its dialect says. */
export function readResult<S extends z.ZodType>(
  schema: S,
  { server, result }: { server: ServerView; result: unknown },
): z.output<S> {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new ToolError(
    `${server.name} answered something that cannot be read: ${z.prettifyError(parsed.error).slice(0, 300)}`,
    "Its mod or agent may be of another version.",
  );
}

/** What a result lacks, and what would give it, as lines of text. */
export function noteLines(notes: readonly string[] | undefined): string[] {
  return (notes ?? []).map((note) => `Note: ${cleanText(note)}`);
}
