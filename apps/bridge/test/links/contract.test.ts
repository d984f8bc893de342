import { linkContract } from "@ccbridge/registry/testing";
import { describe, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";

// The contract of the agent in the game, here with a fake computer over real sockets.
describe.each([1, 2] as const)("a fake computer of version %i on a socket", (protocol) => {
  for (const { name, needs, run } of linkContract) {
    if (protocol === 1 && needs !== undefined) continue;
    it(name, async () => {
      const bridge = await startTestBridge();
      await linkComputer(bridge.linkUrl, { computerId: 12, label: "base-turtle", protocol });
      await run(bridge.computers.find(12), bridge.registry.jobs);
    });
  }
});
