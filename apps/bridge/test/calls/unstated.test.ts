// A new tool without annotations counts as one that may do anything.

import {
  annotationsOf,
  answer,
  type ClientLine,
  ClientTools,
  defineTool,
  Kinds,
  OfferedCatalog,
  type Tool,
  ToolSource,
} from "@ccbridge/mcp-tools";
import { createLocalPort } from "@ccbridge/registry";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { texts } from "../../../../vitest.texts.js";
import type { Mode } from "../../src/auth/rights/client.js";
import { Approvals } from "../../src/calls/approvals.js";
import { Audit } from "../../src/calls/audit/audit.js";
import { Permissions } from "../../src/calls/permissions.js";
import { Pipeline } from "../../src/calls/pipeline.js";
import { Rates } from "../../src/calls/rates.js";
import { silentLogger } from "../../src/index.js";
import { toolEntry } from "../../src/mcp/handlers/tool-entry.js";
import { startTestBridge } from "../helpers/bridge.js";

const settings = {
  probeTimeoutMs: 1_000,
  execWaitMs: 1_000,
  cancelGraceMs: 1_000,
  structured: true,
  linkCommand: "",
  kinds: new Kinds([]),
};

async function openSession(mode: Mode, readOnly: boolean) {
  const { registry } = await startTestBridge();
  let runs = 0;
  const tool: Tool = defineTool({
    name: "brand-new",
    title: "Brand new",
    description: "Says nothing of what it may do.",
    input: z.object({}),
    async handler() {
      runs += 1;
      return { text: "done" };
    },
  });
  const providers = createLocalPort(registry);
  const audit = new Audit({ log: silentLogger() });
  const pipeline = new Pipeline({
    ...{ audit, settings: { values: { readOnly } } },
    approvals: new Approvals(),
    permissions: new Permissions(),
    rates: new Rates(),
  });
  const caller = {
    client: { name: "kim", rights: { mode } },
    session: "s",
    software: () => undefined,
  };
  const tools = new ClientTools({
    source: new ToolSource([tool], (each) => toolEntry(each, settings)),
    offered: new OfferedCatalog(providers, [], settings.kinds),
    providers,
    allows: (facts) => pipeline.allows(facts, caller),
    listChanged: () => {},
  });
  const { signal } = new AbortController();
  return {
    names: async () => (await tools.list()).map(({ name }) => name),
    async call(line?: ClientLine) {
      const context = { providers, settings, offered: tools.offered, signal, line };
      const { content } = await answer(
        () => pipeline.run({ caller, find: () => tools.find(tool.name), args: {}, context }),
        settings,
      );
      const [first] = content;
      return first?.type === "text" ? first.text : "";
    },
    runs: () => runs,
    records: () => audit.trail.recent(),
  };
}

function personAnswering(answer: string | undefined, asked: string[] = []): ClientLine {
  const given = answer === undefined ? { action: "decline" } : accept(answer);
  return {
    answers: () => true,
    hears: () => false,
    log: () => {},
    async ask(requests) {
      for (const { params } of Object.values<{ params?: unknown }>(requests)) {
        asked.push((params as { message: string }).message);
      }
      return Object.fromEntries(Object.keys(requests).map((name) => [name, given])) as never;
    },
  };
}

const accept = (answer: string) => ({ action: "accept", content: { answer } });

describe("a tool without a statement", () => {
  it("counts as one that acts and destroys, and is annotated so", async () => {
    expect(annotationsOf({})).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    const { names, call, runs, records } = await openSession("all", false);
    expect(await names()).toEqual(["brand-new"]);
    expect(await call()).toBe("done");
    expect(runs()).toBe(1);
    expect(records()).toMatchObject([{ tool: "brand-new", acts: true, outcome: "ok" }]);
  });

  it.each([
    ["a bridge that only looks", "all", true, "this bridge is read-only (CC_READ_ONLY)"],
    ["a token that only looks", "look", false, "(kim) is read-only"],
  ] as const)("is neither listed nor called by %s", async (_, mode, readOnly, why) => {
    const { names, call, runs } = await openSession(mode, readOnly);
    expect(await names()).toEqual([]);
    expect(await call(personAnswering("call"))).toContain(why);
    expect(runs()).toBe(0);
  });

  it("is asked for in ask mode", async () => {
    const { call, runs } = await openSession("ask", false);
    expect(await call()).toContain(texts.needsTheApprovalOf);
    const asked: string[] = [];
    expect(await call(personAnswering(undefined, asked))).toContain("was not allowed");
    expect(runs()).toBe(0);
    expect(await call(personAnswering("call", asked))).toBe("done");
    expect(runs()).toBe(1);
    expect(asked).toEqual(Array(2).fill("The AI (kim) wants to use brand-new.\n\n{}"));
  });
});
