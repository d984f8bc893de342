import type { Screen } from "../link/screen.js";

const usual = [
  "f0f0f0",
  "f2b233",
  "e57fd8",
  "99b2f2",
  "dede6c",
  "7fcc19",
  "f2b2cc",
  "4c4c4c",
  "999999",
  "4c99b2",
  "b266e5",
  "3366cc",
  "7f664c",
  "57a64e",
  "cc4c4c",
  "111111",
] as const;

export function paletteOf({ palette, colour }: Pick<Screen, "palette" | "colour">): string[] {
  return usual.map((fallback, index) => {
    const own = palette?.[index] ?? fallback;
    return colour ? own : grey(own);
  });
}

function grey(colour: string): string {
  const parts = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const mean = Math.round(parts.reduce((sum, part) => sum + part, 0) / 3);
  return mean.toString(16).padStart(2, "0").repeat(3);
}
