import { parsePattern, type Syntax } from "./pattern-syntax.js";

export { PatternError } from "./pattern-syntax.js";

export interface Matcher {
  test(text: string): boolean;
}

export interface PatternOptions {
  /** Whether it may fit a part of the text, as in JSON Schema. Otherwise it must fit all of it. */
  anywhere?: boolean;
  unicode?: boolean;
}

const anything: Syntax = {
  kind: "repeat",
  item: { kind: "character", accepts: () => true },
  ...{ min: 0, max: Number.POSITIVE_INFINITY },
};

type State =
  | { kind: "character"; accepts(char: string): boolean; next: number }
  | { kind: "split"; next: number[] }
  | { kind: "start"; next: number }
  | { kind: "end"; next: number }
  | { kind: "word"; negated: boolean; next: number }
  | { kind: "match" };

/**
 * Compiles a regular expression so that a test takes time in proportion to the text, whatever the
 * pattern: all ways through it are followed at once, none is tried again. Backtracking engines need
 * years for some patterns and a text of 256 characters, and the text comes from a peer. RE2 (re2js) is as fast,
 * but reads `\s`, `.`, `[[:alpha:]]`, `(?i)` and surrogate pairs differently from JavaScript and from the Java core.
 */
export function compilePattern(source: string, options: PatternOptions = {}): Matcher {
  const { anywhere = false, unicode = false } = options;
  const states: State[] = [];
  const add = (state: State) => states.push(state) - 1;
  // Built from the end to the beginning: each part gets its successor.
  const build = (syntax: Syntax, next: number): number => {
    switch (syntax.kind) {
      case "character":
        return add({ kind: "character", accepts: syntax.accepts, next });
      case "start":
      case "end":
        return add({ kind: syntax.kind, next });
      case "word":
        return add({ kind: "word", negated: syntax.negated, next });
      case "sequence":
        return syntax.items.reduceRight((following, item) => build(item, following), next);
      case "choice":
        return add({ kind: "split", next: syntax.items.map((item) => build(item, next)) });
      case "repeat": {
        const { item, min, max } = syntax;
        let entry = next;
        if (max === Number.POSITIVE_INFINITY) {
          const loop: State & { kind: "split" } = { kind: "split", next: [next] };
          entry = add(loop);
          loop.next.push(build(item, entry));
        } else {
          for (let count = min; count < max; count++) {
            entry = add({ kind: "split", next: [next, build(item, entry)] });
          }
        }
        for (let count = 0; count < min; count++) entry = build(item, entry);
        return entry;
      }
    }
  };
  const syntax = parsePattern(source, unicode);
  const whole: Syntax = anywhere
    ? { kind: "sequence", items: [anything, syntax, anything] }
    : syntax;
  const start = build(whole, add({ kind: "match" }));
  return { test: (text) => run(states, start, text, unicode) };
}

function run(states: readonly State[], start: number, text: string, unicode: boolean): boolean {
  let current = [start];
  for (let at = 0; ; ) {
    const reached = follow(states, current, text, at);
    if (at === text.length) return [...reached].some((index) => states[index]?.kind === "match");
    const code = unicode ? text.codePointAt(at) : undefined;
    const char = code === undefined ? text.charAt(at) : String.fromCodePoint(code);
    at += char.length;
    const following = new Set<number>();
    for (const index of reached) {
      const state = states[index];
      if (state?.kind === "character" && state.accepts(char)) following.add(state.next);
    }
    if (following.size === 0) return false;
    current = [...following];
  }
}

/** All states that can be reached without reading a character. */
function follow(
  states: readonly State[],
  from: readonly number[],
  text: string,
  at: number,
): Set<number> {
  const reached = new Set<number>();
  const open = [...from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    const state = states[index];
    if (state === undefined) continue;
    if (state.kind === "split") open.push(...state.next);
    else if (state.kind === "start" && at === 0) open.push(state.next);
    else if (state.kind === "end" && at === text.length) open.push(state.next);
    else if (state.kind === "word" && isBoundary(text, at) !== state.negated) open.push(state.next);
  }
  return reached;
}

function isBoundary(text: string, at: number): boolean {
  const word = (index: number) => /^\w$/.test(text.charAt(index));
  return word(at - 1) !== word(at);
}
