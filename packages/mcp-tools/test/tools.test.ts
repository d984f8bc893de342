import { describe, expect, it } from "vitest";
import { z } from "zod";
import { texts } from "../../../vitest.texts.js";
import {
  annotationsOf,
  builtInKinds,
  defineTool,
  instructionsFor,
  runTool,
  selectTools,
  tools,
} from "../src/index.js";
import { call, createRegistry, link, lookAt, type TestRegistry } from "./harness.js";

describe("the tools", () => {
  it("have names that every client accepts", () => {
    const asIdentifiers = tools.map(({ name }) => name.replaceAll("-", "_"));
    expect(new Set(asIdentifiers).size).toBe(tools.length);
    for (const { name } of tools) {
      expect(name).toMatch(/^[a-z]+([-_][a-z]+)*$/);
      expect(name.length).toBeLessThanOrEqual(48);
    }
  });

  it("describe themselves and every argument", () => {
    for (const tool of tools) {
      expect(tool.title.length).toBeGreaterThan(5);
      const sentences = tool.description.split(/[.:;] /).length;
      expect(tool.description, tool.name).toMatch(/^[A-Z].*\.$/s);
      expect(sentences, tool.name).toBeLessThanOrEqual(8);
      for (const [name, field] of Object.entries(tool.input.shape)) {
        expect((field as z.ZodType).description, `${tool.name}.${name}`).toBeTruthy();
      }
    }
  });

  it("are named in the instructions", () => {
    // Owner-only tools are not listed for every model.
    const forAll = tools.filter(({ isForOwners }) => isForOwners !== true);
    for (const { name } of forAll) expect(instructionsFor(tools, builtInKinds)).toContain(name);
    expect(instructionsFor(selectTools(["all"], { servers: false }), builtInKinds)).not.toContain(
      "server-event",
    );
  });
});

describe("which computer", () => {
  const words = (registry: TestRegistry, args: object) =>
    call(registry, "exec-lua", { code: "go", ...args }).then(({ text }) => text);

  it("may be given by number, by text and by label, and as `computer`", async () => {
    const registry = createRegistry();
    const programs = { go: () => [{ type: "string", value: "went" }] };
    link(registry, { computerId: 12, label: "base turtle", programs });
    link(registry, { computerId: 13, label: "12", programs });
    for (const computerId of [12, "12", "base turtle"]) {
      expect(await words(registry, { computerId })).toContain("Ran on 12 (Label: base turtle).");
      expect(await words(registry, { computer: computerId })).toContain("Ran on 12 ");
    }
    expect(await words(registry, { computer: 13, computerId: 12 })).toContain(
      "exec-lua has no argument `computer`",
    );
    expect(await words(registry, { computer: "tower" })).toContain(
      texts.noLinkedComputerHasTheLabelTower,
    );
  });

  it("is one argument in every tool, and its other name is not listed", () => {
    for (const { name, input, listedWith } of selectTools(["all"], { servers: false })) {
      if (listedWith !== undefined) continue;
      expect(input.shape, name).not.toHaveProperty("world");
      expect(input.shape, name).not.toHaveProperty("computer");
      const { computerId } = input.shape as Record<string, z.ZodType | undefined>;
      if (computerId !== undefined) {
        for (const value of [0, "12", "12@survival", "base"]) {
          expect(computerId.safeParse(value).success, name).toBe(true);
        }
        for (const value of [-1, 1.5, "", null]) {
          expect(computerId.safeParse(value).success, name).toBe(false);
        }
      }
    }
  });
});

describe("a tool that states nothing about itself", () => {
  it("counts as acting", () => {
    expect(annotationsOf({})).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});

describe("a tool that breaks", () => {
  it("becomes an error result, not an exception", async () => {
    const tool = defineTool({
      name: "break-things",
      title: "Break things",
      description: "Throws.",
      input: z.object({}),
      output: z.object({}),
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      handler: async () => {
        throw new TypeError("oops");
      },
    });
    const signal = new AbortController().signal;
    const result = await runTool(tool, {}, { ...lookAt(createRegistry()), signal });
    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: "text",
          text: texts.theBridgeFailedOopsThis,
        },
      ],
    });
  });
});
