export const colourNames = [
  "white",
  "orange",
  "magenta",
  "lightBlue",
  "yellow",
  "lime",
  "pink",
  "gray",
  "lightGray",
  "cyan",
  "purple",
  "blue",
  "brown",
  "green",
  "red",
  "black",
] as const;

/** The colours of a bundled cable's bits. */
export function coloursOf(mask: number): (typeof colourNames)[number][] {
  return colourNames.filter((_, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);
}
