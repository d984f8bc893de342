import { linkContract } from "@ccbridge/registry/testing";
import { describe, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkGameComputer, startWorld } from "./helpers.js";

describe.each([
  ["an old computer", { version: "1.100.0" }],
  ["an advanced turtle", { version: "1.113.1", kind: "turtle", advanced: true }],
] as const)("mcp-computer on %s", (_, options) => {
  for (const { name, run } of linkContract) {
    it(name, async () => {
      const bridge = await startTestBridge();
      const world = await startWorld();
      await linkGameComputer(bridge, world, options);
      await run(bridge.computers.find(12), bridge.registry.jobs);
    });
  }
});
