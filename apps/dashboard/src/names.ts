import { fleet, titleOf } from "./fleet.js";

/** The name of a provider as people say it: that of the fleet, or what a text of the bridge says. */
export function nameOf(key: string | undefined, fallback = "something"): string {
  const row = key === undefined ? undefined : fleet.value?.get(key);
  return row === undefined ? said(fallback) : titleOf(row);
}

/** `computer 30 (Label: "quarry")` as people say it. Two computers may have one label: the number distinguishes them. */
export function said(text: string): string {
  return text
    .replace(/(?:[Cc]omputer )?\b(\d+) \(Label: null\)/g, "Computer $1")
    .replace(/(?:[Cc]omputer )?\b(\d+) \(Label: "?([^")]+)"?\)/g, "$2 (#$1)");
}
