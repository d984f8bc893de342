import type { TopicData, TurtleFacts } from "@ccbridge/protocol/dashboard";
import type { TurtleTracks } from "../../monitor/tracks.js";
import type { SharedWatches } from "./shared.js";
import type { TurtleState } from "./turtle-state.js";
import { type Watch, watchShared } from "./watch.js";

export function watchTurtles(
  shared: SharedWatches,
  keys: readonly string[],
  ready: () => void,
): Watch<TopicData<"turtles">> {
  let changed = new Map<string, TurtleState>();
  const stops = [...new Set(keys)].map((key) =>
    shared.turtle(key, (turtle) => {
      changed.set(key, turtle);
      ready();
    }),
  );
  return {
    async poll() {
      if (changed.size === 0) return undefined;
      const turtles = [...changed].map(([key, turtle]) => factsOf(key, turtle));
      changed = new Map();
      return { turtles };
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

export function watchTurtle(
  shared: SharedWatches,
  tracks: TurtleTracks,
  key: string,
  ready: () => void,
): Watch<TopicData<"turtle">> {
  return watchShared<Exclude<TurtleState, Error>, TopicData<"turtle">>(
    ready,
    (notify) => shared.turtle(key, notify),
    (turtle) => {
      const facts = factsOf(key, turtle);
      if ("problem" in turtle) {
        // A page that may not see the turtle gets no track either.
        const unknown = { selected: 0, slots: [], running: false, trail: [] };
        return { ...facts, ...unknown, note: turtle.problem };
      }
      const { note = null, selected, running } = turtle;
      const slots = turtle.slots.map(({ slot, item: name, count }) => ({ slot, name, count }));
      return { ...facts, note, selected, slots, running, trail: [...tracks.of(key)] };
    },
  );
}

/** Throws when the page may not read it. */
function factsOf(key: string, turtle: TurtleState): TurtleFacts {
  if (turtle instanceof Error) throw turtle;
  if ("problem" in turtle) {
    const unknown = { fuel: null, fuelLimit: null, position: null, facing: null, certain: false };
    return { key, ...unknown };
  }
  const { fuel, fuelLimit, position, facing, certain } = turtle;
  return { key, fuel, fuelLimit, position, facing, certain };
}
