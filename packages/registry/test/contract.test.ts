import { describe, it } from "vitest";
import { connectInMemory, FakeComputer, linkContract } from "../src/testing/index.js";
import { createRegistry } from "./harness.js";

describe.each([1, 2] as const)("a fake computer of version %i in memory", (protocol) => {
  for (const { name, needs, run } of linkContract) {
    if (protocol === 1 && needs !== undefined) continue;
    it(name, async () => {
      const registry = createRegistry();
      const fake: FakeComputer = new FakeComputer({
        computerId: 12,
        label: "base-turtle",
        protocol,
        send: (text) => end.send(text),
      });
      const end = connectInMemory(registry.computers, { receive: (text) => fake.receive(text) });
      fake.sayHello();
      await fake.welcomed;
      await run(registry.computers.find(12), registry.jobs);
      registry.close();
    });
  }
});
