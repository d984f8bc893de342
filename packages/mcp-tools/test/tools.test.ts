import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, instructions, runTool, tools } from "../src/index.js";
import { createRegistry, settings } from "./harness.js";

describe("the tools", () => {
  it("have names that every client takes", () => {
    const asIdentifiers = tools.map(({ name }) => name.replaceAll("-", "_"));
    expect(new Set(asIdentifiers).size).toBe(tools.length);
    for (const { name } of tools) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(name.length).toBeLessThanOrEqual(48);
    }
  });

  it("describe themselves and every argument", () => {
    for (const tool of tools) {
      expect(tool.title.length).toBeGreaterThan(5);
      expect(tool.description.length).toBeGreaterThan(100);
      for (const [name, field] of Object.entries(tool.input.shape)) {
        expect((field as z.ZodType).description, `${tool.name}.${name}`).toBeTruthy();
      }
    }
  });

  it("say truly what only looks", () => {
    const readOnly = tools.filter((tool) => tool.annotations.readOnlyHint).map(({ name }) => name);
    expect(readOnly).toEqual([
      ...["list-computers", "probe-computers", "get-job", "list-jobs"],
      ...["list-files", "read-file", "search-files"],
      "list-peripherals",
      "list-inventory",
      "turtle-status",
      "read-screen",
      "get-events",
    ]);
  });

  it("are named in the instructions", () => {
    for (const { name } of tools) expect(instructions).toContain(name);
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
    const result = await runTool(tool, {}, { registry: createRegistry(), settings, signal });
    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: "text",
          text: "The bridge failed: oops\nThis is a fault of the bridge, not of the call. Its log has the details.",
        },
      ],
    });
  });
});
