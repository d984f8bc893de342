import type { MethodName, MethodParams, MethodResult } from "@ccbridge/protocol";
import { type ComputerSelector, type ComputerView, findComputer } from "@ccbridge/registry";
import type { Computer } from "../computer.js";
import { type AskContext, request } from "../request.js";
import { keeperOf } from "./keepers.js";

/**
 * Sends one quick request and returns the validated result. Every failure is thrown as an error
 * that says what to do next: not linked, method unknown to the agent, refused by the computer.
 */
export async function ask<M extends MethodName>(
  context: AskContext,
  selector: ComputerSelector,
  method: M,
  params: MethodParams<M>,
): Promise<{ computer: ComputerView; result: MethodResult<M> }> {
  const computer = await findComputer(context.providers, selector);
  return { computer, result: await askComputer(context, computer, method, params) };
}

/** Keeps what was before, where the method changes something. */
export function askComputer<M extends MethodName>(
  context: AskContext,
  computer: Computer,
  method: M,
  params: MethodParams<M>,
): Promise<MethodResult<M>> {
  const keep = context.changes && keeperOf(method);
  if (keep === undefined) return request(context, computer, method, params);
  return keep(context, computer, params);
}
