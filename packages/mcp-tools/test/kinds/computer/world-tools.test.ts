import { describe, expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { estimateSteps } from "../../../src/kinds/computer/turtle/estimate.js";
import { parseStep } from "../../../src/kinds/computer/turtle/steps.js";
import { call, createRegistry, linkRaw, settings } from "../../harness.js";

const target = { computerId: 12 };
const calls: [string, Record<string, unknown>][] = [
  ["list-peripherals", {}],
  ["call-peripheral", { calls: [{ name: "top", method: "size" }] }],
  ["list-inventory", {}],
  ["redstone", {}],
  ["turtle-status", {}],
  ["turtle-run", { steps: ["up"] }],
  ["turtle-run", { steps: ["up"], dryRun: true }],
  ["set-position", { x: 1, y: 2, z: 3 }],
  ["set-label", { label: "x" }],
  ["power-computer", { action: "reboot" }],
  ["power-computer", { action: "shutdown" }],
];

describe.each(calls)("%s %j", (name, args) => {
  it("asks for an update of an agent that does not know it", async () => {
    const registry = createRegistry();
    linkRaw(registry, { ...target, kind: "turtle", protocol: 2, methods: ["ping"] });
    const { text, isError } = await call(registry, name, { ...target, ...args });
    expect(isError).toBe(true);
    expect(text).toContain(texts.theAgentOnComputerLabel);
    expect(text).toContain(settings.linkCommand);
  });

  it("names the linked computers when its computer is not linked", async () => {
    const { text, isError } = await call(createRegistry(), name, { ...target, ...args });
    expect(isError).toBe(true);
    expect(text).toContain("Computer 12 is not linked");
  });
});

describe("sixty-four calls that fail at length", () => {
  it("still fit into an answer", async () => {
    const registry = createRegistry();
    const error = `there is no peripheral named that; attached are: ${"x".repeat(2_000)}`;
    linkRaw(registry, { ...target, protocol: 2, methods: ["call-peripheral"] }, ({ id }, send) => {
      const results = Array.from({ length: 64 }, () => ({ ok: false, error }));
      send({ type: "response", id, ok: true, result: { results } });
    });
    const each = { name: "minecraft:chest_100", method: "getItemDetail" };
    const result = await call(registry, "call-peripheral", {
      ...target,
      calls: Array(64).fill(each),
    });
    expect(result.isError).toBe(true);
    expect(result.text.length).toBeLessThan(12_000);
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(12_000);
  });
});

describe("steps", () => {
  it.each([
    ["forward", { op: "forward" }],
    [" Forward  5 ", { op: "forward", times: 5 }],
    ["try digup", { op: "digUp", optional: true }],
    ["transferTo 3 16", { op: "transferTo", args: [3, 16] }],
    ["place keep out", { op: "place", args: ["keep out"] }],
    ["sleep 0.5", { op: "sleep", args: [0.5] }],
    ["goto 1,64, -3 NORTH dig", { op: "goto", args: [1, 64, -3, "north", "dig"] }],
    ["goto 1 64 -3 dig", { op: "goto", args: [1, 64, -3, "dig"] }],
    ["face East", { op: "face", args: ["east"] }],
    ["refuel 0", { op: "refuel", args: [0] }],
  ])("reads %j", (text, step) => {
    expect(parseStep(text)).toEqual({ text: text.trim(), ...step });
  });

  it.each(["", "try", "5", "forward -1", "forward 1e9", "forward 1 2", "suck 0", "select 1 2"])(
    "refuses %j",
    (text) => {
      expect(parseStep(text)).toBeTypeOf("string");
    },
  );

  it.each([
    "goto 1 2",
    "goto 1 2 z",
    "goto 1 2 3 up",
    "goto 1 2 3 north dig now",
    "goto 1 2 3 dig north",
    "goto 1.5 2 3",
    "face",
    "face up",
    "face north south",
  ])("says how to write %j", (text) => {
    expect(parseStep(text)).toMatch(new RegExp(texts.gotoNeedsFaceNeedsNorth));
  });

  it("are estimated with what is known of the place", () => {
    const steps = ["turnLeft 5", "forward 2", "up"].map((text) => {
      const step = parseStep(text);
      if (typeof step === "string") throw new Error(step);
      return step;
    });
    const position = { x: 0, y: 0, z: 0 };
    expect(estimateSteps(steps, 1, { position, facing: "north", certain: true })).toMatchObject({
      fuelNeeded: 3,
      end: { position: { x: -2, y: 1, z: 0 }, facing: "west" },
    });
    expect(estimateSteps(steps, 3, { position, certain: true })).toMatchObject({
      fuelNeeded: 9,
      end: {},
    });
  });
});
