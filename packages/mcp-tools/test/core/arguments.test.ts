import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, runTool } from "../../src/index.js";
import { createRegistry, lookAt, settings } from "../harness.js";

const tool = defineTool({
  name: "dig-hole",
  title: "Dig a hole",
  description: "Digs.",
  input: z.object({
    computerId: z.union([z.int().nonnegative(), z.string().min(1)]).describe("Which computer."),
    code: z.string().min(1).describe("Lua source."),
    depth: z.int().min(1).max(64).default(1).describe("How deep."),
    side: z.enum(["left", "right", "top"]).optional().describe("Where."),
    timeoutMs: z.int().optional().describe("Stop it at this age."),
    steps: z
      .array(
        z.union([
          z.object({ type: z.literal("key"), key: z.string() }),
          z.object({ type: z.literal("text"), text: z.string() }),
        ]),
      )
      .optional()
      .describe("What to type."),
    place: z.object({ x: z.int(), y: z.int().optional() }).optional(),
    free: z.record(z.string(), z.unknown()).default({}),
  }),
  output: z.object({ dug: z.int() }),
  handler: async (args) => ({ text: `dug ${args.depth}`, structured: () => ({ dug: args.depth }) }),
});

async function dig(args: unknown, structured = true) {
  const signal = new AbortController().signal;
  const context = { ...lookAt(createRegistry()), settings: { ...settings, structured }, signal };
  const result = await runTool(tool, args, context);
  const [first] = result.content;
  return { ...result, text: first?.type === "text" ? first.text : "" };
}

const good = { computerId: 12, code: "x" };

describe("arguments that a tool does not have", () => {
  it.each([
    [{ ...good, timeout: 5 }, "has no argument `timeout`. Did you mean `timeoutMs`?"],
    [{ ...good, time_out_ms: 5 }, "Did you mean `timeoutMs`?"],
    [{ ...good, dept: 5 }, "Did you mean `depth`?"],
    [{ id: 12, code: "x" }, "Did you mean `computerId`?"],
    [{ ...good, zzz: 1 }, "has no argument `zzz`. Its arguments are `computerId`, `code`,"],
    [{ ...good, __proto__x: 1 }, "has no argument `__proto__x`."],
    [
      {
        ...good,
        steps: [
          { type: "key", key: "x" },
          { type: "text", txt: "y" },
        ],
      },
      "`steps[1]` has no `txt`. Did you mean `text`? It can have `type`, `key` and `text`.",
    ],
    [{ ...good, place: { x: 1, Y: 2 } }, "`place` has no `Y`. Did you mean `y`?"],
    [{ ...good, place: { x: 1, zzz: 2 } }, "`place` has no `zzz`. It can have `x` and `y`."],
  ])("are refused with the nearest right name: %j", async (args, words) => {
    const { isError, text } = await dig(args);
    expect(isError).toBe(true);
    expect(text).toContain(words);
    expect(text).toContain("Nothing was done.");
  });

  it("may have any name where names are free", async () => {
    expect((await dig({ ...good, free: { anything: { at: "all" } } })).isError).toBeUndefined();
  });

  it("are refused even when they have the name of something that every object has", async () => {
    const { text } = await dig(JSON.parse('{"computerId":1,"code":"x","constructor":1}'));
    expect(text).toContain("has no argument `constructor`.");
  });
});

describe("arguments of the wrong form", () => {
  it.each([
    [{ computerId: 12 }, "`code` is missing. Lua source."],
    [{ ...good, code: 7 }, "`code` must be text, not 7."],
    [{ ...good, code: "" }, "`code` must not be empty."],
    [{ ...good, depth: 0 }, "`depth` must be at least 1, not 0."],
    [{ ...good, depth: 65 }, "`depth` must be at most 64, not 65."],
    [{ ...good, depth: 1.5 }, "`depth` must be a whole number, not 1.5."],
    [{ ...good, depth: "3" }, '`depth` must be a number, not "3".'],
    [{ ...good, side: "up" }, '`side` must be left, right or top, not "up".'],
    [{ ...good, computerId: null }, "`computerId` must be a number or text, not null."],
    [{ ...good, computerId: -1 }, "`computerId` must be at least 0, not -1."],
    [{ ...good, steps: "x" }, '`steps` must be a list, not "x".'],
    [{ ...good, steps: [{ type: "key" }] }, "`steps[0].key` is missing."],
    [[1, 2], "The arguments must be an object, not a list."],
    ["text", 'The arguments must be an object, not "text".'],
  ])("are reported in sentences: %j", async (args, words) => {
    const { isError, text } = await dig(args);
    expect(isError).toBe(true);
    expect(text).toContain(words);
    expect(text).not.toMatch(/✖|→|Invalid input|expected/);
  });
});

describe("an answer", () => {
  it("is text alone unless structure is asked for", async () => {
    expect(await dig(good, false)).not.toHaveProperty("structuredContent");
    expect(await dig(good, true)).toMatchObject({ structuredContent: { dug: 1 } });
  });
});
