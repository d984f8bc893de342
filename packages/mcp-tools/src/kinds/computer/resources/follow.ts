import { computerAddress, findComputer } from "@ccbridge/registry";
import type { ReadContext } from "../../../core/resource.js";

/**
 * Follows the computer that the address currently selects: it may link later, and the name may move
 * to another computer.
 */
export async function followComputer(
  { providers }: ReadContext,
  ref: string,
  watch: (key: string) => () => void,
): Promise<() => void> {
  let watched: string | undefined;
  let stop = () => {};
  let isOver = false;
  const refresh = async () => {
    const computer = await findComputer(providers, ref).catch(() => undefined);
    // A watch survives its computer's absence.
    if (isOver || computer === undefined || computer.key === watched) return;
    stop();
    [watched, stop] = [undefined, () => {}];
    stop = watch(computer.key);
    watched = computer.key;
  };
  const unsubscribe = providers.changes.subscribe(
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
