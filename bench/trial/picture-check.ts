import type { monitorPeripheral } from "@ccbridge/cc-host";

const BLUE = "b39";
const YELLOW = "41";
const GREEN = "d5";

export function pictureFault(
  screen: ReturnType<typeof monitorPeripheral>["screen"],
): string | undefined {
  const { width, height } = screen;
  const rows = Array.from({ length: height }, (_, index) => screen.line(index + 1));
  const cells = rows.flatMap(({ background }, y) =>
    [...background].map((colour, x) => ({ colour, x, y })),
  );
  const of = (colours: string) => cells.filter(({ colour }) => colours.includes(colour));
  if (of(BLUE).length < cells.length / 3) return "there is no blue sky";
  const sun = of(YELLOW);
  const right = sun.filter(({ x, y }) => x >= width / 2 && y < height / 2);
  if (right.length < 4 || right.length < sun.length) return "there is no sun in the upper right";
  const bottom = cells.filter(({ y }) => y === height - 1);
  if (!bottom.every(({ colour }) => GREEN.includes(colour))) return "the bottom is not all grass";
  const sign = rows.find(({ text }) => text.includes("WELCOME HOME"));
  if (sign === undefined) return "it does not say WELCOME HOME";
  const at = sign.text.indexOf("WELCOME HOME");
  if (sign.foreground[at] === sign.background[at]) return "the words cannot be read";
}
