import { computerAddress, findComputer, type Stop, stopOnceStarted } from "@ccbridge/registry";
import type { LookContext } from "../../../resources/define.js";

/**
 * Follows the computer that the address currently selects: it may link later, and the name may move
 * to another computer.
 */
export async function followComputer(
  { providers }: LookContext,
  ref: string,
  watch: (key: string) => Promise<Stop>,
): Promise<Stop> {
  let watched: string | undefined;
  let stop = () => {};
  let isOver = false;
  const refresh = async () => {
    const computer = await findComputer(providers, ref).catch(() => undefined);
    // A watch survives its computer's absence.
    if (isOver || computer === undefined || computer.key === watched) return;
    stop();
    const starting = watch(computer.key);
    [watched, stop] = [computer.key, stopOnceStarted(starting)];
    try {
      await starting;
    } catch (error) {
      if (watched === computer.key) watched = undefined;
      throw error;
    }
  };
  const unsubscribe = await providers.changes.subscribe(
    // The watch limit is reached: reads still work, and the next link tries again.
    () => void refresh().catch(() => {}),
    { topics: ["linked", "unlinked"], key: computerAddress(ref) },
  );
  const end = () => {
    isOver = true;
    unsubscribe();
    stop();
  };
  try {
    await refresh();
    return end;
  } catch (error) {
    end();
    throw error;
  }
}

/** The client has already read the first state. */
export function afterTheFirst(changed: () => void): () => void {
  let isFirst = true;
  return () => {
    if (!isFirst) changed();
    isFirst = false;
  };
}
