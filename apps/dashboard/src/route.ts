import { signal } from "@preact/signals";

/** The parts of the page, by the first word of the address behind `#`. */
export const places = ["fleet", "activity", "clients", "numbers", "connect"] as const;

export type Place = (typeof places)[number];

export type Route =
  | { readonly place: Place }
  | { readonly place: "computer"; readonly key: string; readonly tab: string };

function read(): Route {
  const [, place = "", key = "", tab = "screen"] = location.hash.split("/");
  if (place === "computer" && key !== "") {
    return { place, key: decodeURIComponent(key), tab };
  }
  return { place: places.find((name) => name === place) ?? "fleet" };
}

export const route = signal<Route>(read());

window.addEventListener("hashchange", () => {
  route.value = read();
});

export function computerHref(key: string, tab = "screen"): string {
  return `#/computer/${encodeURIComponent(key)}/${tab}`;
}
