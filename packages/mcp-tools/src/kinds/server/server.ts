import {
  CustomResultSchema,
  isQuery,
  REQUEST_TIMEOUT_MS,
  type ToolName,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import { findServer, type ServerView } from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext, ToolOutcome } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import type { ServerPolicy } from "../../core/kind-services.js";
import type { OfferedCall, OfferedCaller } from "../../core/offered.js";
import { namesTargets } from "../../core/targets.js";
import { block, excerpt, inline, quoted, toJson } from "../../format/set-apart.js";
import { capital, OUTPUT_BYTES } from "../../format/text.js";

export const target = {
  server: namesTargets(z.string().min(1).max(64).optional(), async (name, providers) => [
    await findServer(providers, name),
  ]).meta({ description: "Its name from list-servers, if there are several.", obvious: true }),
};

/** The default: read and chat only. */
const safePolicy: ServerPolicy = {
  tools: new Set(toolNames.filter((name) => isQuery(name) || name === "send_message")),
  checkCommand: () => "No commands are allowed here.",
  hint: "Ask the bridge's owner to allow it.",
};

export function policyOf({ servers }: ToolContext): ServerPolicy {
  return servers ?? safePolicy;
}

const FailureSchema = z
  .object({
    code: z.string().max(64),
    details: z.record(z.string(), z.unknown()).optional().catch(undefined),
  })
  .catch({ code: "SERVER_ERROR" });

/** An error of the bridge itself with a code of the servers' protocol. */
function coded(code: string, message: string, hint: string): ToolError {
  return new ToolError(`${code}: ${message}`, hint, { code, message });
}

export async function askServer(
  context: ToolContext,
  tool: ToolName,
  { server, ...args }: { readonly server?: string | undefined },
): Promise<{ server: ServerView; result: unknown }> {
  const found = await serverFor(context, tool, server);
  return { server: found, result: await requestServer(context, found, tool, args) };
}

/** The server that is meant, if it and the bridge's owner allow the tool. */
export async function serverFor(
  context: ToolContext,
  tool: ToolName,
  server: string | undefined,
): Promise<ServerView> {
  const { tools, hint } = policyOf(context);
  if (!tools.has(tool)) {
    throw coded(
      "PERMISSION_DENIED",
      `${tool} is switched off on this bridge for this client.`,
      hint,
    );
  }
  const found = await findServer(context.providers, server);
  requireAbility(found, tool);
  return found;
}

export async function requestServer(
  { providers, signal, servers }: ToolContext,
  { key, name }: { readonly key: string; readonly name: string },
  method: string,
  args: object,
): Promise<unknown> {
  const options = { timeoutMs: servers?.timeoutMs ?? REQUEST_TIMEOUT_MS, signal };
  const answer = await providers.request(key, method, args, options);
  if (answer.ok) return answer.result;
  const { code, details } = FailureSchema.parse(answer.result);
  const reason = quoted(answer.error, 3_000);
  const failure = { code, message: answer.error, details };
  throw new ToolError(`${inline(code)} on ${name}: ${reason}`, hintFor(code), failure);
}

export function requireAbility({ provider, name }: ServerView, tool: ToolName): void {
  if (provider.methods.includes(tool)) return;
  const note = provider.notes[tool];
  const why = note === undefined ? "the way it is linked does not support it." : quoted(note, 500);
  throw new ToolError(
    `${name} cannot do ${tool}: ${why}`,
    "Call list-servers to see what it can do.",
  );
}

function hintFor(code: string): string {
  switch (code) {
    case "PLAYER_NOT_FOUND":
      return "Call get_online_players to see who is online.";
    case "PERMISSION_DENIED":
      return "The owner of the Minecraft server has switched it off there.";
    case "INVALID_COMMAND":
      return "Nothing was done. Check the command's wording; if it is right, the owner of the Minecraft server can allow it with allowed_patterns in its minecraft-mcp-bridge.toml.";
    case "TIMEOUT":
      return "Check the state before you do it again: it may have happened anyway.";
    case "CONNECTION_ERROR":
      return "The Minecraft server itself cannot be reached. Call list-servers later.";
    case "INVALID_ARGS":
      return "Nothing was done. Correct the call and try again.";
    default:
      return "The fault is on the Minecraft server, not in the call; its log has more. Check the state before you do it again.";
  }
}

/** Throws when a command does not fit the owner's patterns. `which` names it among several. */
export function requireCommand(context: ToolContext, command: string, which = ""): void {
  const { checkCommand, hint } = policyOf(context);
  const refusal = checkCommand(command);
  if (refusal !== undefined) throw coded("INVALID_COMMAND", `${which}${refusal}`, hint);
}

/** Throws when the result violates the protocol. */
export function readResult<S extends z.ZodType>(
  schema: S,
  { server, result }: { server: ServerView; result: unknown },
): z.output<S> {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new ToolError(
    `${server.name} sent an answer that cannot be read: ${quoted(z.prettifyError(parsed.error), 300)}`,
    "Its mod or agent may be a different version.",
  );
}

export function noteLines(notes: readonly string[] | undefined): string[] {
  return (notes ?? []).map((note) => `Note: ${quoted(note, 500)}`);
}

export const customToolCaller: OfferedCaller = {
  call: callCustomTool,
  badArguments: (message) => new ToolError(message, "Nothing was done."),
};

async function callCustomTool(
  { offer, tool, args }: OfferedCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const params = { name: tool.name, arguments: args };
  const answer = await requestServer(context, offer, "call_tool", params);
  const { data } = CustomResultSchema.safeParse(answer);
  const result = data?.result ?? null;
  const shown = typeof result === "string" ? result : toJson(result, 2);
  const says = `${capital(offer.name)} answers ${inline(tool.name)}:`;
  return { text: `${says}\n${block(excerpt(shown, OUTPUT_BYTES))}` };
}
