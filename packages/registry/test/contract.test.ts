import { describe, it } from "vitest";
import { Registry } from "../src/index.js";
import { connectInMemory, FakeComputer, linkContract } from "../src/testing/index.js";

describe.each([1, 2] as const)("a fake computer of version %i in memory", (protocol) => {
  for (const { name, needs, run } of linkContract) {
    // A version 1 agent has no features, so the cases that need one do not apply to it.
    if (protocol === 1 && needs !== undefined) continue;
    it(name, async () => {
      const registry = new Registry({ bridge: { name: "test", version: "0" } });
      const fake: FakeComputer = new FakeComputer({
        computerId: 12,
        label: "base-turtle",
        protocol,
        send: (text) => end.send(text),
      });
      const end = connectInMemory(registry, { receive: (text) => fake.receive(text) });
      fake.sayHello();
      await fake.welcomed;
      await run(registry.computer({ computerId: 12 }));
      registry.close();
    });
  }
});
