import { fleet, titleOf } from "./fleet.js";
import { said } from "./said.js";

/** The name of a provider as people say it: that of the fleet, or what a text of the bridge says. */
export function nameOf(key: string | undefined, fallback = "something"): string {
  const row = key === undefined ? undefined : fleet.value?.get(key);
  return row === undefined ? said(fallback) : titleOf(row);
}
