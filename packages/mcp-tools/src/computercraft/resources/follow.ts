import { computerAddress, findComputer } from "@ccbridge/registry";
import type { LookContext } from "../../resource/define.js";

/**
 * Follows something on the computer that an address names at the time: it need not be linked yet, and
 * the name may pass to another computer.
 */
export async function followComputer(
  { providers }: LookContext,
  ref: string,
  watch: (key: string) => () => void,
): Promise<() => void> {
  let watched: string | undefined;
  let stop = () => {};
  let isOver = false;
  const look = async () => {
    const computer = await findComputer(providers, ref).catch(() => undefined);
    // A computer that is away keeps its watch, which continues when it is back.
    if (isOver || computer === undefined || computer.key === watched) return;
    stop();
    [watched, stop] = [undefined, () => {}];
    stop = watch(computer.key);
    watched = computer.key;
  };
  const unsubscribe = providers.changes.subscribe(
    // Too many are followed already: reading still works, and the next link tries again.
    () => void look().catch(() => {}),
    { topics: ["linked", "unlinked"], key: computerAddress(ref) },
  );
  const end = () => {
    isOver = true;
    unsubscribe();
    stop();
  };
  try {
    await look();
    return end;
  } catch (error) {
    end();
    throw error;
  }
}

/** Skips the first call: the client has already read that state. */
export function afterTheFirst(changed: () => void): () => void {
  let isFirst = true;
  return () => {
    if (!isFirst) changed();
    isFirst = false;
  };
}
