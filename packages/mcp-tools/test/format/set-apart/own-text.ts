import { FREE } from "./scene.js";

const ownPart = /^((?:[^"|]|"(?:[^"\\]|\\.)*")*)(\|.*)?$/su;

const harmless = new RegExp(`(?:[\\w./@*+~-]+:)*[\\w./@*+~-]*${FREE}/?`, "g");

export function ownLines(text: string): string[] {
  const lines = text.split("\n").map(ownLine);
  return lines.filter((line, index) => !/^ *N?\|$/.test(line) || line !== lines[index - 1]);
}

function ownLine(line: string): string {
  const [, own, barred] = ownPart.exec(line) ?? [];
  if (own === undefined) return `an unfinished quote: ${line}`;
  return (own + (barred === undefined ? "" : "|"))
    .replace(/"(?:[^"\\]|\\.)*"(?:\.\.\.)?/gs, '""')
    .replace(harmless, '""')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\[""\](?= = )/g, '""')
    .replace(/\d+(?:\.\d+)?/g, "N");
}

export const hidden =
  /[^\P{Cc}\n\t]|[\p{Cs}\u115f\u2028\u2029\u3164\ufeff\u{e0000}-\u{e00ff}]|[\u200b-\u200f\u2060]{2}/u;
