import {
  type MethodName,
  type MethodParams,
  type MethodResult,
  methods,
  ResponseError,
} from "@ccbridge/protocol";
import type { Answer } from "@ccbridge/registry";
import type { z } from "zod";
import type { ToolContext } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import { inline, quoted } from "../../format/set-apart.js";
import { capital } from "../../format/text.js";
import type { Computer } from "./computer.js";

const ASK_TIMEOUT_MS = 20_000;

export type AskContext = Pick<ToolContext, "providers" | "settings" | "signal" | "changes">;

/** Sends one quick request. Every failure is thrown as an error that says what to do next. */
export async function request<M extends MethodName>(
  context: AskContext,
  computer: Computer,
  method: M,
  params: MethodParams<M>,
): Promise<MethodResult<M>> {
  requireMethod(context, computer, method);
  const { key } = computer;
  const response = await context.providers.request(key, method, params, quickly(context));
  return resultOf(context, computer, method, response);
}

/** On timeout the computer is asked to stop, and its late response is acknowledged. */
export function quickly({ signal, settings }: AskContext) {
  return { timeoutMs: ASK_TIMEOUT_MS, signal, cancelGraceMs: settings.cancelGraceMs };
}

export function resultOf<M extends MethodName>(
  context: AskContext,
  computer: Computer,
  method: M,
  response: Answer,
): MethodResult<M> {
  if (!response.ok) {
    if (response.error === ResponseError.unknownMethod)
      throw tooOldError(context, computer, method);
    throw new ToolError(
      `${computer.name}: ${quoted(response.error, 3_000)}`,
      "Nothing else was done. Correct the call and try again.",
    );
  }
  const schema: z.ZodType = methods[method].result;
  const parsed = schema.safeParse(response.result ?? {});
  if (!parsed.success) throw tooOldError(context, computer, method);
  return parsed.data as MethodResult<M>;
}

export function requireMethod(context: AskContext, computer: Computer, method: MethodName): void {
  const { methods, allow } = computer.provider;
  if (methods.includes(method)) return;
  if (allow === null) throw tooOldError(context, computer, method);
  throw new ToolError(`${capital(computer.name)} is ${lockText(allow)}. Nothing was done.`, UNLOCK);
}

function tooOldError({ settings }: AskContext, { name }: Computer, method: string): ToolError {
  return new ToolError(
    `The agent on ${name} does not support ${method}, or supports a different version of it.`,
    `Ask the player to update the agent by typing this on that computer: ${settings.linkCommand}`,
  );
}

export function lockText(allow: string): string {
  const what =
    allow === "look" ? "looking" : allow === "files" ? "looking and changing files" : inline(allow);
  return `locked by its player, who allows only ${what}`;
}

export const UNLOCK =
  "Only the player can change that, at the computer: set mcp_computer.allow all, then start mcp-computer again. Do not try another way around it.";
