import { FREE } from "./scene.js";

/** What is neither in quotes nor behind a bar; the rest is not ours. Undefined when the line is broken. */
const ownPart = /^((?:[^"|]|"(?:[^"\\]|\\.)*")*)(\|.*)?$/su;

/** A single word with the harmless text in it. */
const harmless = new RegExp(`(?:[\\w./@*+~-]+:)*[\\w./@*+~-]*${FREE}/?`, "g");

/**
 * The lines of an answer that are the tool's own, without what may differ from call to call. Lines that are
 * nothing but text from the game count as one.
 */
export function ownLines(text: string): string[] {
  const lines = text.split("\n").map(ownLine);
  return lines.filter((line, index) => !/^ *N?\|$/.test(line) || line !== lines[index - 1]);
}

function ownLine(line: string): string {
  const [, own, barred] = ownPart.exec(line) ?? [];
  if (own === undefined) return `an unfinished quote: ${line}`;
  return (
    (own + (barred === undefined ? "" : "|"))
      .replace(/"(?:[^"\\]|\\.)*"(?:\.\.\.)?/gs, '""')
      .replace(harmless, '""')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      // A key of a Lua table.
      .replace(/\[""\](?= = )/g, '""')
      .replace(/\d+(?:\.\d+)?/g, "N")
  );
}

/** What a model or a terminal would act on and a person would not see. */
export const hidden = /[^\P{Cc}\n\t]|[\p{Cf}\p{DI}\u2028\u2029]/u;
