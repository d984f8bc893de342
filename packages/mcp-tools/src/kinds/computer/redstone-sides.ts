import type { MethodResult } from "@ccbridge/protocol";
import { z } from "zod";
import { colourNames } from "../../format/colours.js";
import { inline } from "../../format/set-apart.js";

export const Colours = z.array(z.enum(colourNames));

export const sideNames = ["top", "bottom", "left", "right", "front", "back"] as const;

export const SideSchema = z.object({
  side: z.string(),
  input: z.int().describe("The incoming signal, 0 to 15; above 0 is on."),
  output: z.int().describe("The signal the computer outputs, 0 to 15."),
  bundledInput: Colours.describe(
    "Colours that are on in a bundled cable, with mods that have such cables.",
  ),
  bundledOutput: Colours,
});

type Side = z.infer<typeof SideSchema>;

export function sideFacts({ sides }: MethodResult<"redstone">): Side[] {
  return sides.map((each) => ({
    side: each.side,
    input: level(each.input),
    output: level(each.output),
    bundledInput: toColours(each.bundledInput),
    bundledOutput: toColours(each.bundledOutput),
  }));
}

export function signalLines(sides: readonly Side[]): string[] {
  const on = sides.filter(hasSignal);
  if (on.length === 0) return ["No side has a redstone signal, in or out."];
  const rest = on.length === sides.length ? [] : ["The other sides have no signal."];
  return [...on.map(sideText), ...rest];
}

export function changeLines(before: readonly Side[], now: readonly Side[]): string[] {
  return now.flatMap(({ side, input, bundledInput }) => {
    const old = before.find((other) => other.side === side);
    if (old === undefined) return [];
    const colours = (names: readonly string[]) => (names.length === 0 ? "none" : names.join("+"));
    const [was, is] = [colours(old.bundledInput), colours(bundledInput)];
    const parts = [
      old.input === input ? [] : [`in ${old.input} -> ${input}`],
      was === is ? [] : [`bundled in ${was} -> ${is}`],
    ].flat();
    return parts.length === 0 ? [] : [`${inline(side)}: ${parts.join(", ")}`];
  });
}

export function toMask(names: readonly string[]): number {
  return colourNames.reduce(
    (mask, colour, bit) => mask + (names.includes(colour) ? 2 ** bit : 0),
    0,
  );
}

function toColours(mask: number): Side["bundledInput"] {
  return colourNames.filter((_, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);
}

const level = (value: number) => Math.max(0, Math.min(15, Math.round(value)));

const hasSignal = ({ input, output, bundledInput, bundledOutput }: Side) =>
  input > 0 || output > 0 || bundledInput.length > 0 || bundledOutput.length > 0;

function sideText({ side, input, output, bundledInput, bundledOutput }: Side): string {
  const bundled = [
    bundledInput.length === 0 ? "" : `, bundled in ${bundledInput.join("+")}`,
    bundledOutput.length === 0 ? "" : `, bundled out ${bundledOutput.join("+")}`,
  ];
  return `${inline(side)}: in ${input}, out ${output}${bundled.join("")}`;
}
