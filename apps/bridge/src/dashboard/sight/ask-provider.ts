import { type MethodName, type MethodParams, type MethodResult, methods } from "@ccbridge/protocol";
import type { ProviderPort } from "@ccbridge/registry";
import { ViewError } from "./error.js";

const QUICK_MS = 20_000;

/** Asks a provider for something quick. Rejects with an error that a person can read. */
export async function askProvider<M extends MethodName>(
  providers: ProviderPort,
  key: string,
  method: M,
  params: MethodParams<M>,
  timeoutMs: number = QUICK_MS,
): Promise<MethodResult<M>> {
  const answer = await providers.request(key, method, params, { timeoutMs });
  if (!answer.ok) throw new ViewError(answer.error);
  const parsed = methods[method].result.safeParse(answer.result);
  if (!parsed.success) {
    throw new ViewError(`The answer to ${method} could not be read. The agent may be too old.`);
  }
  return parsed.data as MethodResult<M>;
}
