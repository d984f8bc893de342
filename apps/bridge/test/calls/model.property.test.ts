import {
  annotationsOf,
  type ToolFacts,
  toolGroupNames,
  toolGroups,
  tools,
} from "@ccbridge/mcp-tools";
import { createLocalPort, filteredPort, type Provider } from "@ccbridge/registry";
import { startJob } from "@ccbridge/registry/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modes, rightsProblem } from "../../src/auth/rights/client.js";
import { readTokenLine, type TokenLine } from "../../src/auth/rights/token-line.js";
import { visibleTo } from "../../src/calls/caller.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";

// A model of the rights as simple as the documentation: only lists.

const groupOf = (name: string) =>
  toolGroupNames.find((group) => toolGroups[group].some((tool) => tool.name === name));

const entry = fc.oneof(
  fc.constantFrom<string>(...toolGroupNames),
  fc.constantFrom(...tools.map(({ name }) => name)),
  fc.constantFrom("all", "offered:door", "offered:d*"),
);
const signed = <T extends string>(one: fc.Arbitrary<T>) =>
  fc.tuple(fc.boolean(), one).map(([minus, text]) => (minus ? `-${text}` : text));
const listOf = <T extends string>(one: fc.Arbitrary<T>) =>
  fc.array(signed(one), { minLength: 1, maxLength: 5 });

const someTool: fc.Arbitrary<ToolFacts> = fc.oneof(
  fc.constantFrom(...tools).map((tool) => ({
    name: tool.name,
    annotations: annotationsOf(tool),
    isOffered: false,
    isForOwners: false,
  })),
  fc.constantFrom("door", "dig", "quarry").map((name) => ({
    name,
    annotations: annotationsOf({}),
    isOffered: true,
    isForOwners: false,
  })),
);

function fitsTool(text: string, { name, isOffered }: ToolFacts, positive: boolean): boolean {
  if (text === "all") return true;
  if (text.startsWith("offered:")) {
    if (isOffered)
      return text === `offered:${name}` || (text === "offered:d*" && name.startsWith("d"));
    return positive && ["list-offered-tools", "call-offered-tool"].includes(name);
  }
  if (isOffered) return text === "offered";
  return text === name || text === groupOf(name);
}

function listAllows(list: readonly string[], fits: (text: string, positive: boolean) => boolean) {
  const positive = list.filter((text) => !text.startsWith("-"));
  if (list.some((text) => text.startsWith("-") && fits(text.slice(1), false))) return false;
  return positive.length === 0 || positive.some((text) => fits(text, true));
}

function lineOf(words: string): TokenLine {
  const line = readTokenLine(`token ${words}`, "x");
  if (typeof line === "string") throw new Error(line);
  return line;
}

describe("who may do what", () => {
  it("equals a plain model, for every mode, list of tools and tool", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...modes),
        fc.option(listOf(entry), { nil: undefined }),
        fc.boolean(),
        someTool,
        (mode, list, readOnly, tool) => {
          const line = lineOf(
            `mode=${mode}${list === undefined ? "" : ` tools=${list.join(",")}`}`,
          );
          const looks = tool.annotations.readOnlyHint;
          const expected =
            (looks || (!readOnly && mode !== "look")) &&
            (list === undefined ||
              listAllows(list, (text, positive) => fitsTool(text, tool, positive)));
          expect(rightsProblem(tool, line.client, readOnly) === undefined).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("holds in every part of the port: lists, names, jobs, events, offered tools and changes", async () => {
    const bridge = await startTestBridge();
    const facts = [
      { computerId: 1, label: "farm-a", world: "survival" },
      { computerId: 2, label: "farm-b", world: "creative" },
      { computerId: 12, label: "base", world: "survival" },
      { computerId: 12, label: "base", world: "creative" },
    ];
    const code = "return 1";
    const programs = { [code]: () => [] };
    for (const each of facts) {
      await linkComputer(bridge.linkUrl, {
        ...each,
        instance: `i-${each.computerId}-${each.world}`,
        programs,
      });
    }
    const all = createLocalPort(bridge.registry);
    const views = await all.list("computer");
    const jobs = new Map<string, string>();
    for (const { key } of views) {
      const { id } = await startJob(all, key, {
        method: "exec-lua",
        params: { code },
        summary: "",
      });
      jobs.set(key, id);
      await all.jobs.wait(id, { timeoutMs: 5_000 });
    }
    const fitsComputer = (text: string, { computerId, label, world }: (typeof facts)[number]) => {
      if (text === "*") return true;
      if (text.startsWith("label:"))
        return text.endsWith("*") ? label.startsWith("farm-") : label === "base";
      if (text.startsWith("world:")) return text === `world:${world}`;
      return text === String(computerId) || text === `${computerId}@${world}`;
    };
    const rule = fc.constantFrom(
      "*",
      "1",
      "2",
      "12",
      "12@survival",
      "label:farm-*",
      "label:base",
      "world:survival",
      "world:creative",
    );
    await fc.assert(
      fc.asyncProperty(listOf(rule), async (list) => {
        const line = lineOf(`computers=${list.join(",")}`);
        const port = filteredPort(all, { sees: visibleTo(line.client) });
        const factOf = ({ provider }: { provider: Provider }) =>
          facts.find(({ world, computerId }) => provider.key.includes(`[${computerId},"${world}"`));
        const isSeen = (view: { provider: Provider }) => {
          const fact = factOf(view);
          return fact !== undefined && listAllows(list, (text) => fitsComputer(text, fact));
        };
        const seen = views.filter(isSeen).map(({ key }) => key);
        expect((await port.list("computer")).map(({ key }) => key)).toEqual(seen);
        expect((await port.jobs.list()).map(({ key }) => key).sort()).toEqual([...seen].sort());
        for (const view of views) {
          const { key } = view;
          const may = seen.includes(key);
          expect((await port.jobs.get(jobs.get(key) ?? "")) !== undefined).toBe(may);
          expect((await port.jobs.stop(jobs.get(key) ?? "")) !== undefined).toBe(may);
          expect((await port.events.get(key)) !== undefined).toBe(may);
          const asked = port.request(key, "ping", {}, { timeoutMs: 5_000 }).then(
            () => true,
            () => false,
          );
          expect(await asked).toBe(may);
          const { world, computerId } = factOf(view) ?? { world: "", computerId: 0 };
          const found = await port.find({ kind: "computer", ref: `${computerId}@${world}` }).then(
            () => "",
            (error: Error) => error.message,
          );
          expect(found === "").toBe(may);
          if (!may) {
            const hidden = views
              .filter((other) => !seen.includes(other.key))
              .map(({ name }) => name);
            const shown = views.filter((other) => seen.includes(other.key)).map(({ name }) => name);
            const leaked = hidden.filter((name) => !shown.includes(name) && found.includes(name));
            expect(leaked).toEqual([]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
