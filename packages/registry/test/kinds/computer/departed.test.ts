import { describe, expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { createLocalPort, findComputer, type LinkError } from "../../../src/index.js";
import { connectAgent, createRegistry, type TestRegistry } from "../../harness.js";

function linkFake(
  registry: TestRegistry,
  { computerId, label }: { computerId: number; label: string | null },
) {
  const agent = connectAgent(registry);
  agent.hello(computerId, { computerLabel: label });
  return agent;
}

describe("a computer that was linked and is away", () => {
  it("is distinguished from one that was never linked", async () => {
    const registry = createRegistry();
    const { end } = linkFake(registry, { computerId: 12, label: "base" });
    end.drop();
    for (const selector of [12, "12", "base"]) {
      expect(() => registry.computers.find(selector)).toThrow(
        new RegExp(texts.computerLabelBaseIsAway),
      );
    }
    const unknown = await findComputer(createLocalPort(registry), 13).catch((error) => error);
    expect((unknown as LinkError).code).toBe("not-linked");
  });

  it("has left with the reason for which the bridge closed its link, if it did", () => {
    const registry = createRegistry();
    const away = (computerId: number) => {
      try {
        return registry.computers.find(computerId).name;
      } catch (error) {
        return (error as Error).message.replace(/.* ago\. /, "");
      }
    };
    linkFake(registry, { computerId: 1, label: null }).link.closed("socket closed with 1006");
    linkFake(registry, { computerId: 2, label: null }).link.closed("the socket failed");
    linkFake(registry, { computerId: 3, label: null }).link.receiveBinary();
    expect([1, 2, 3].map(away)).toEqual([
      "The link dropped.",
      "The link dropped.",
      texts.theLinkEndedThisLink,
    ]);
  });

  it("is forgotten as away once it is back", () => {
    const registry = createRegistry();
    linkFake(registry, { computerId: 12, label: "base" }).end.drop();
    linkFake(registry, { computerId: 12, label: "base" });
    expect(registry.computers.find(12).provider.computerId).toBe(12);
  });

  it("is remembered among many, but not among endless ones", () => {
    const registry = createRegistry();
    for (let computerId = 0; computerId < 600; computerId++) {
      linkFake(registry, { computerId, label: null }).end.drop();
    }
    expect(() => registry.computers.find(599)).toThrow("is away");
    expect(() => registry.computers.find(0)).toThrow("Computer 0 is not linked.");
  });
});

describe("the first seconds after a start", () => {
  it("wait for a computer that is on its way back", async () => {
    const registry = createRegistry();
    const port = createLocalPort(registry, { returnWaitMs: 60_000 });
    const found = findComputer(port, "base");
    linkFake(registry, { computerId: 3, label: "other" });
    linkFake(registry, { computerId: 12, label: "base" });
    expect((await found).provider).toMatchObject({ computerId: 12 });
  });

  it("end, and then no call waits", async () => {
    const registry = createRegistry();
    const port = createLocalPort(registry, { returnWaitMs: 20 });
    await expect(findComputer(port, 12)).rejects.toThrow("Computer 12 is not linked.");
  });
});
