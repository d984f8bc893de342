import { signal } from "@preact/signals";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const KEPT = "ccbridge-theme";

function kept(): Theme {
  const text = sessionStorage.getItem(KEPT);
  return themes.find((name) => name === text) ?? "system";
}

export const theme = signal<Theme>(kept());

function show(): void {
  const { value } = theme;
  if (value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
  sessionStorage.setItem(KEPT, theme.value);
  show();
}

show();
