// One table for this implementation and the Java core (mods/core).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CommandPatterns, PatternError } from "../../src/minecraft/index.js";

interface Case {
  about: string;
  patterns: string[];
  maxLength?: number;
  command: string;
  runs?: string;
  refusal?: string;
}

const path = new URL("../../fixtures/minecraft/allowed-commands.json", import.meta.url);
const table: { cases: Case[]; unusable: string[] } = JSON.parse(readFileSync(path, "utf8"));

describe("allowed commands", () => {
  it.each(table.cases)("$about: $command", ({ patterns, maxLength, command, runs, refusal }) => {
    const checked = new CommandPatterns(patterns, maxLength).check(command);
    const refused = { ok: false, code: "INVALID_COMMAND", reason: refusal };
    expect(checked).toEqual(runs === undefined ? refused : { ok: true, command: runs });
  });

  it.each(table.unusable)("cannot be described with %s", (pattern) => {
    expect(() => new CommandPatterns([pattern])).toThrow(PatternError);
  });
});
