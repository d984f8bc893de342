import { signal } from "@preact/signals";
import { keep, kept } from "./kept.js";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const KEPT = "ccbridge-theme";

function chosen(): Theme {
  const text = kept(KEPT);
  return themes.find((name) => name === text) ?? "system";
}

export const theme = signal<Theme>(chosen());

function show(): void {
  const { value } = theme;
  if (value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
  keep(KEPT, theme.value);
  show();
}

show();
