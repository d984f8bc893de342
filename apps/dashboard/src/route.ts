import { signal } from "@preact/signals";

export const places = [
  "home",
  "fleet",
  "activity",
  "clients",
  "numbers",
  "connect",
  "settings",
] as const;

export type Place = (typeof places)[number];

export type Route =
  | { readonly place: Place; readonly part: string }
  | {
      readonly place: "computer";
      readonly key: string;
      readonly tab: string;
      readonly file: string;
    };

function read(): Route {
  const [, place = "", key = "", tab = "screen", file = ""] = location.hash.split("/");
  if (place === "computer" && key !== "") {
    return { place, key: decoded(key), tab, file: decoded(file) };
  }
  return { place: places.find((name) => name === place) ?? "home", part: decoded(key) };
}

/** An address that was typed or cut off may be malformed; it then names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal<Route>(read());

window.addEventListener("hashchange", () => {
  route.value = read();
});

export function fileHref(key: string, path: string): string {
  return `${computerHref(key, "files")}${path === "" ? "" : `/${encodeURIComponent(path)}`}`;
}

export function computerHref(key: string, tab = "screen"): string {
  return `#/computer/${encodeURIComponent(key)}/${tab}`;
}
