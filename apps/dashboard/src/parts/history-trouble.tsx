import { useTopic } from "../wire/hooks.js";

/** A note while the bridge saves nothing, although it should. */
export function HistoryTrouble() {
  const { data } = useTopic("numbers", {});
  const { keptIn, trouble } = data?.history ?? {};
  if (trouble === undefined || trouble === null) return null;
  return (
    <p class="problem">
      {keptIn === "memory"
        ? `The history is in memory only, and a restart forgets it: ${trouble}.`
        : `The history cannot be saved at the moment, and waits in memory: ${trouble}.`}
    </p>
  );
}
