import type { SearchMatch } from "@ccbridge/protocol";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { limitOf, offsetOf } from "../../../core/arguments.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { afterBar } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { ask } from "../undo/ask.js";
import { fitting, folder, joinLines, nameOf, plural, shown } from "./common.js";

const MatchSchema = z.object({
  path: z.string(),
  line: z.int(),
  text: z.string().describe("The line, shortened if it is long."),
  before: z.array(z.string()).optional().describe("The lines before it."),
  after: z.array(z.string()).optional().describe("The lines after it."),
});

export const searchFiles = defineTool({
  name: "search-files",
  title: "Search files on a computer",
  description:
    "Finds text in the files on a computer's disk and shows the matching lines. /rom is searched " +
    "only if path names it.",
  input: z.object({
    ...target,
    query: z
      .string()
      .min(1)
      .max(1_000)
      .meta({ description: "Text to find within a line.", obvious: true }),
    path: folder,
    glob: z.string().min(1).optional().describe("Only matching files, such as `*.lua`."),
    pattern: z
      .boolean()
      .default(false)
      .describe("The query is a Lua pattern, not a regular expression."),
    ignoreCase: z.boolean().default(false).describe("Ignore case; not for patterns."),
    context: z.int().min(0).max(5).default(0).describe("Show this many lines before and after."),
    offset: offsetOf("matches"),
    limit: limitOf(100, 40, "Show at most this many matches."),
  }),
  output: z.object({
    ...computerShape,
    path: z.string(),
    matches: z.array(MatchSchema),
    searched: z.int().describe("Files searched."),
    skipped: z.int().describe("Files not searched, because they are binary or too large."),
    nextOffset: z.int().optional().describe("There are more: pass this as offset."),
    note: z.string().optional(),
  }),
  annotations: readOnly,
  async handler({ computerId, offset, ...params }, context) {
    if (params.pattern && params.ignoreCase) {
      throw new ToolError(
        "ignoreCase cannot be combined with pattern.",
        "Write both cases into the pattern, as in [Ee]rror, and call search-files again.",
      );
    }
    const { computer, result } = await ask(context, computerId, "search-files", {
      ...params,
      offset,
    });
    const matches = fitting(result.matches, (m) => JSON.stringify(m).length);
    const more = result.more === true || matches.length < result.matches.length;
    const next = offset + matches.length;
    const note = joinLines([
      result.romSkipped ? "/rom (the mod's read-only files) was left out." : undefined,
      result.skipped > 0
        ? `${plural(result.skipped, "file")} skipped: binary or too large.`
        : undefined,
      result.timedOut || result.cut
        ? "It took too long, so not all files were searched: name a folder or a glob."
        : undefined,
    ]);
    const found =
      matches.length === 0 ? "No match" : plural(matches.length, "match").replace(/hs$/, "hes");
    return {
      text: joinLines([
        `${found}${more ? " shown" : ""} under ${shown(result.path)} on ${nameOf(computer)}; ${plural(result.searched, "file")} searched.`,
        ...matchLines(matches),
        more ? `There are more: call search-files with offset ${next}.` : undefined,
        note === "" ? undefined : note,
      ]),
      structured: () => ({
        ...computerFacts(computer),
        path: result.path,
        matches,
        searched: result.searched,
        skipped: result.skipped,
        ...(more ? { nextOffset: next } : {}),
        ...(note === "" ? {} : { note }),
      }),
    };
  },
});

/** Like grep: `path:line| text` for matches, `path-line| text` for context. Overlapping context is printed once. */
function matchLines(matches: readonly SearchMatch[]): string[] {
  const files = new Map<string, Map<number, { text: string; isMatch: boolean }>>();
  for (const { path, line, text, before = [], after = [] } of matches) {
    const lines = files.get(path) ?? new Map();
    files.set(path, lines);
    for (const [index, around] of [...before, text, ...after].entries()) {
      const number = line - before.length + index;
      const isMatch = number === line;
      if (isMatch || !lines.has(number)) lines.set(number, { text: around, isMatch });
    }
  }
  return [...files].flatMap(([path, lines]) =>
    [...lines]
      .sort(([a], [b]) => a - b)
      .map(
        ([number, { text, isMatch }]) =>
          `${shown(path)}${isMatch ? ":" : "-"}${number}${afterBar(text)}`,
      ),
  );
}
