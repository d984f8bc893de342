// @ts-check
// Reports words that this project does not use, with what to write instead: node scripts/check-words.mjs
// In code it reads comments, names and test titles, but not other strings: texts for users are
// reviewed by hand.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Generated, this list itself, and the programs that players wrote in the trial. */
const skipped = [
  "docs/configuration.md",
  "docs/limits.md",
  "docs/tools.md",
  "scripts/check-words.mjs",
  "bench/trial/disks/",
];

/** @type {[RegExp, string][]} */
const words = [
  [/\b(?:some|no|every)body\b/i, "the client, the peer, no client, all players"],
  [/\bwhoever\b/i, "the client that, the caller"],
  [/\b(?:told|tells)\b/i, "reported, notified; reports, says"],
  [/\bstands\b(?! for\b)/i, "is, is written"],
  [/\btak(?:es?|ing) notice\b/i, "records"],
  [/\banew\b/i, "again"],
  [/\bbe it\b/i, "even"],
  [/\bthose included\b/i, "including"],
  [/\binside of\b/i, "inside"],
  [/\bis another one\b/i, "changed, is different"],
  [
    /\bof (?:its|their) own(?=[.,;:)]|$| (?:and|or|in|on|is|are|that|which|for|has|so|to)\b)/i,
    "its own X, a separate X",
  ],
  [/\bas (?:it is|they are)(?=[.,;:)]|$)/i, "unchanged"],
  [/\bin the clothes of\b|\bwears\b/i, "in the form of"],
  [/\bgoes? past\b/i, "bypasses"],
];

const comment = /^\s*(?:\/\/|\/\*|\*|--)/;
const title = /^\s*(?:(?:it|test|describe)\b|\]\)\(")/;
const literal = /"(?:[^"\\]|\\.)*"|`[^`]*`/g;

/** @param {string} file @param {string} line */
function checkedText(file, line) {
  if (file.endsWith(".md") || comment.test(line)) return line;
  if (/\.test\.tsx?$/.test(file) && title.test(line)) return line;
  return line.replace(literal, '""');
}

const files = execFileSync(
  "git",
  ["ls-files", "*.ts", "*.tsx", "*.mts", "*.mjs", "*.lua", "*.md"],
  {
    encoding: "utf8",
  },
)
  .split("\n")
  .filter((file) => file !== "" && !file.endsWith("CHANGELOG.md"))
  .filter((file) => !skipped.some((path) => file.startsWith(path)));

let found = 0;
for (const file of files) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    for (const [word, instead] of words) {
      const [match] = word.exec(checkedText(file, line)) ?? [];
      if (match === undefined) continue;
      found += 1;
      console.error(`${file}:${index + 1}: "${match}": write ${instead}`);
    }
  }
}
if (found > 0) process.exit(1);
