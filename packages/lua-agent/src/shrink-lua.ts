import { localNames } from "./local-names.js";
import { luaTokens } from "./lua-tokens.js";

export interface ShrinkOptions {
  /** Globals that the chunk gets as its arguments. */
  parameters?: readonly string[];
  /** What to write instead of a string, if anything. */
  replaceString?(literal: string): string | undefined;
}

/**
 * Short local names, no comments, no needless white space. Every token stays on its line, so that errors name the line
 * of the source.
 */
export function shrinkLua(source: string, { parameters = [], replaceString }: ShrinkOptions = {}) {
  const names = localNames(source, parameters);
  let out = names.parameters.length === 0 ? "" : `local ${names.parameters.join(",")}=...`;
  let isApart = out !== "";
  for (const { text, at, isBlank } of luaTokens(source)) {
    if (isBlank) {
      out += "\n".repeat(text.split("\n").length - 1);
      isApart = true;
      continue;
    }
    const replaced = text.startsWith('"') ? replaceString?.(text) : names.at.get(at);
    const token = replaced ?? text;
    if (isApart && touch(out.at(-1) ?? "\n", token.charAt(0))) out += " ";
    out += token;
    isApart = false;
  }
  return out.trimEnd();
}

/** Whether two tokens would become one without a blank between them. */
function touch(before: string, after: string): boolean {
  if (/\w/.test(before) && /[\w]/.test(after)) return true;
  if (/[\d.]/.test(before) && after === ".") return true;
  if (before === "[") return after === "[" || after === "=";
  return (before === "-" && after === "-") || (before === "." && /\d/.test(after));
}
