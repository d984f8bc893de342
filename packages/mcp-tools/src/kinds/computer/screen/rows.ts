import { decodeText, type Screen, utf8Length } from "@ccbridge/protocol";
import { toUnicode } from "@ccbridge/protocol/screen";
import { z } from "zod";
import { colourNames } from "../../../format/colours.js";

/** With everything around it an answer stays below 12 KB. */
const SCREEN_BYTES = 5_000;

export const ScreenReportSchema = z.object({
  width: z.int(),
  height: z.int(),
  cursor: z.object({
    x: z.number(),
    y: z.number(),
    blink: z.boolean().describe("Whether it is shown; programs show it while they read text."),
  }),
  fromLine: z.int().describe("The screen line that is first in `lines`."),
  lines: z
    .array(z.string())
    .describe("The text, without trailing spaces and trailing empty lines."),
  colours: z
    .array(z.string())
    .optional()
    .describe("For each line, the parts that are not white on black."),
  nextLine: z.int().optional().describe("Continue from this line: the rest did not fit."),
});

export type ScreenReport = z.infer<typeof ScreenReportSchema>;

export function bytesOf({ text, encoding }: Screen): Uint8Array {
  const characters = decodeText(text, encoding);
  return Uint8Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at));
}

export function plainText(screen: Screen): string {
  const characters = Array.from(bytesOf(screen), toUnicode);
  const lines: string[] = [];
  for (let at = 0; at < characters.length; at += screen.width) {
    lines.push(characters.slice(at, at + screen.width).join(""));
  }
  return lines.join("\n");
}

export function reportScreen(screen: Screen, fromLine = 1): ScreenReport {
  const { width, height, cursor } = screen;
  const bytes = bytesOf(screen);
  const withColours = screen.foreground !== undefined;
  const lines: string[] = [];
  const colours: string[] = [];
  let size = 0;
  let line = fromLine;
  for (; line <= height; line++) {
    const row = bytes.subarray((line - 1) * width, line * width);
    const text = Array.from(row, toUnicode).join("").trimEnd();
    const runs = withColours ? colourRuns(screen, line) : "";
    size += utf8Length(text) + runs.length + 6;
    if (size > SCREEN_BYTES && lines.length > 0) break;
    lines.push(text);
    colours.push(runs);
  }
  while (line > height && lines.at(-1) === "" && colours.at(-1) === "") {
    lines.pop();
    colours.pop();
  }
  return {
    width,
    height,
    cursor,
    fromLine,
    lines,
    ...(withColours ? { colours } : {}),
    ...(line <= height ? { nextLine: line } : {}),
  };
}

/** For example `1-5 yellow on black, 7-9 red on white`. */
function colourRuns({ foreground = "", background = "", width }: Screen, line: number): string {
  const runs: { from: number; to: number; name: string }[] = [];
  for (let x = 1; x <= width; x++) {
    const at = (line - 1) * width + x - 1;
    const name = `${nameOf(foreground[at])} on ${nameOf(background[at])}`;
    const last = runs.at(-1);
    if (last?.name === name) last.to = x;
    else runs.push({ from: x, to: x, name });
  }
  return runs
    .filter(({ name }) => name !== "white on black")
    .map(({ from, to, name }) => `${from}-${to} ${name}`)
    .join(", ");
}

function nameOf(digit: string | undefined): string {
  return colourNames[Number.parseInt(digit ?? "", 16)] ?? "white";
}

/** Numbers the lines, so that a reader can refer to positions; the screen's text is behind the bars. */
export function screenText(report: ScreenReport): string {
  const { width, height, cursor, fromLine, lines, nextLine } = report;
  const shown = cursor.blink ? "" : ", hidden";
  const parts = [`Screen ${width}x${height}, cursor at ${cursor.x},${cursor.y}${shown}:`];
  const digits = String(height).length;
  const number = (index: number) => String(fromLine + index).padStart(digits);
  for (let index = 0; index < lines.length; index++) {
    const blank = emptyLines(report, index);
    if (blank > 2) {
      parts.push(`(lines ${fromLine + index} to ${fromLine + index + blank - 1} are empty)`);
      index += blank - 1;
      continue;
    }
    parts.push(`${number(index)}|${lines[index]}`);
  }
  if (lines.length === 0) parts.push(fromLine === 1 ? "(empty)" : "(empty from there on)");
  parts.push(...colourLines(report));
  if (nextLine !== undefined) parts.push(`More: read-screen with fromLine ${nextLine}.`);
  return parts.join("\n");
}

function colourLines({ colours = [], fromLine }: ScreenReport): string[] {
  const lines: string[] = [];
  for (let from = 0; from < colours.length; ) {
    let to = from + 1;
    while (to < colours.length && colours[to] === colours[from]) to += 1;
    const [first, last] = [fromLine + from, fromLine + to - 1];
    const which = first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
    if (colours[from] !== "") lines.push(`${which}: columns ${colours[from]}.`);
    from = to;
  }
  return lines;
}

function emptyLines({ lines, colours }: ScreenReport, from: number): number {
  let to = from;
  while (lines[to] === "" && (colours?.[to] ?? "") === "") to += 1;
  return to - from;
}
