import type { CallOptions } from "./caller.js";
import type { Directory, Listed } from "./directory.js";

export interface Asking {
  readonly directory: Directory;
  call(bridge: string, op: string, args: unknown, options: CallOptions): Promise<unknown>;
}

/** Asks the bridge that has a provider. */
export type Ask = <T>(entry: Listed, op: string, args: object, patience: CallOptions) => Promise<T>;

/** How long a bridge may take for what it has at hand. */
export const quick = { timeoutMs: 5_000 };
/** How long lists wait for a bridge that does not answer: what it has is shown without it. */
export const LIST_MS = 1_500;
export const NOWHERE = "No bridge of the cluster has it linked now.";

/** What each other bridge answers, without those that fail or take too long. */
export async function eachBridge<T = unknown>(
  { directory, call }: Asking,
  op: string,
  args: object,
  timeoutMs: number,
  read: (bridge: string, answer: unknown) => T | undefined = (_, answer) => answer as T,
): Promise<T[]> {
  const asked = directory
    .others()
    .map(async (bridge) =>
      read(bridge, await soon(call(bridge, op, args, { timeoutMs }), timeoutMs)),
    );
  return (await Promise.all(asked)).filter((answer) => answer !== undefined) as T[];
}

/** An answer, or undefined when it fails or takes too long. */
export async function soon(answer: Promise<unknown>, timeoutMs: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([answer.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
