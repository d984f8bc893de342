import type { TopicData, TurtleFacts } from "@ccbridge/protocol/dashboard";
import { type Feed, latestFeed } from "../sight/feed.js";
import type { TurtleState } from "../sight/turtle-state.js";
import type { Watched } from "../sight/watched.js";

/** Fuel and place of the turtles that a list shows. */
export function turtlesFeed(
  watched: Watched,
  keys: readonly string[],
  ready: () => void,
): Feed<TopicData<"turtles">> {
  let changed = new Map<string, TurtleFacts>();
  const stops = [...new Set(keys)].map((key) =>
    watched.turtle(key, (turtle) => {
      changed.set(key, factsOf(key, turtle));
      ready();
    }),
  );
  return {
    take() {
      if (changed.size === 0) return undefined;
      const turtles = [...changed.values()];
      changed = new Map();
      return { turtles };
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** One turtle with all that it said, and where it has been. */
export function turtleFeed(
  watched: Watched,
  key: string,
  ready: () => void,
): Feed<TopicData<"turtle">> {
  return latestFeed(ready, (tell) =>
    watched.turtle(key, (turtle) => {
      const isKnown = "fuel" in turtle;
      tell({
        ...factsOf(key, turtle),
        note: isKnown ? (turtle.note ?? null) : turtle.problem,
        selected: isKnown ? turtle.selected : 0,
        slots: isKnown ? turtle.slots.map(({ slot, name, count }) => ({ slot, name, count })) : [],
        running: isKnown && turtle.running,
        // Whoever may not see the turtle gets no answer of it either.
        trail: isKnown ? [...watched.trail(key)] : [],
      });
    }),
  );
}

function factsOf(key: string, turtle: TurtleState): TurtleFacts {
  if (!("fuel" in turtle)) {
    const unknown = { fuel: null, fuelLimit: null, position: null, facing: null, certain: false };
    return { key, ...unknown };
  }
  const { fuel, fuelLimit = null, position = null, facing = null, certain } = turtle;
  return { key, fuel, fuelLimit, position, facing, certain };
}
