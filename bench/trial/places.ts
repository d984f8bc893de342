import { buildBase } from "./base.js";
import { baseTasks } from "./tasks.js";
import type { PlaceKind } from "./trial.js";
import { beforeVillage, villageTasks } from "./village/tasks.js";
import { buildVillage } from "./village/village.js";

function definePlace<P extends Parameters<PlaceKind["tasks"][number]["missing"]>[0]>(
  place: PlaceKind<P>,
): PlaceKind {
  // Each is only ever given what it built itself.
  return place as unknown as PlaceKind;
}

export const places = {
  base: definePlace({
    build: buildBase,
    tasks: baseTasks,
    begin: ({ gate }) => gate.begin(),
  }),
  village: definePlace({
    build: buildVillage,
    tasks: villageTasks,
    before: beforeVillage,
  }),
};

export type PlaceName = keyof typeof places;
