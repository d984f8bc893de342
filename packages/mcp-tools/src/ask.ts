import { type MethodName, type MethodParams, type MethodResult, methods } from "@ccbridge/protocol";
import type { ComputerTarget, Link } from "@ccbridge/registry";
import type { z } from "zod";
import type { ToolContext } from "./define-tool.js";
import { cleanText, cutEnd } from "./format/text.js";
import { ToolError } from "./run-tool.js";

/** How long a computer may take for something that is no job. */
const ASK_TIMEOUT_MS = 20_000;

/**
 * Asks one computer for something quick and returns its answer, checked. Everything else is thrown as an
 * error that says what to do: not linked, an agent without this method, a refusal of the computer.
 */
export async function ask<M extends MethodName>(
  context: ToolContext,
  target: ComputerTarget,
  method: M,
  params: MethodParams<M>,
): Promise<{ link: Link; result: MethodResult<M> }> {
  const link = linkWith(context, target, method);
  const response = await link.request(method, params, {
    timeoutMs: ASK_TIMEOUT_MS,
    signal: context.signal,
    // Told to stop when it takes too long, and acknowledged: an agent keeps every answer until then.
    cancelGraceMs: context.settings.cancelGraceMs,
  });
  if (!response.ok) {
    if (response.error === "unknown method") throw tooOld(link, method, context);
    throw new ToolError(
      `${link.name}: ${cleanText(cutEnd(response.error, 3_000))}`,
      "Nothing else was done. Correct the call and try again.",
    );
  }
  const schema: z.ZodType = methods[method].result;
  const parsed = schema.safeParse(response.result ?? {});
  if (!parsed.success) throw tooOld(link, method, context);
  return { link, result: parsed.data as MethodResult<M> };
}

/** The link of a computer whose agent has a method. Throws when there is none. */
export function linkWith(context: ToolContext, target: ComputerTarget, method: MethodName): Link {
  const link = context.registry.computer(target);
  requireMethod(context, link, method);
  return link;
}

/** Throws what to do when the agent of a computer is too old for a method. */
export function requireMethod(context: ToolContext, link: Link, method: MethodName): void {
  if (!link.identity.methods.includes(method)) throw tooOld(link, method, context);
}

function tooOld(link: Link, method: string, { settings }: ToolContext): ToolError {
  return new ToolError(
    `The agent on ${link.name} does not know ${method}, or another version of it.`,
    `Ask the player to update the agent with this line, typed on that computer: ${settings.linkCommand}`,
  );
}
