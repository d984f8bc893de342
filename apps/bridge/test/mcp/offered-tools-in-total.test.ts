import { builtInKinds, Kinds, OfferedCatalog } from "@ccbridge/mcp-tools";
import { type Provider, type ProviderPort, Registry } from "@ccbridge/registry";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { heldBytes } from "../helpers/abuse.js";

function provider(key: string): Provider {
  return { kind: "computer", key, name: key, methods: [], features: [] };
}

function manyTools(prefix: string, count = 128) {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}_${index}`,
    description: "x".repeat(900),
  }));
}

it("providers cannot offer tools without end together, and each may still offer some", () => {
  const registry = new Registry({ maxAllOfferedTools: 512, maxAllOfferedToolsLength: 1_000_000 });
  const { offered, limits } = registry;
  const count = () =>
    [...offered.all().values()].reduce(
      (sum, { tools, broken }) => sum + tools.length + broken.length,
      0,
    );
  for (let index = 0; index < 40; index++) {
    offered.offer(provider(`hostile ${index}`), { tools: manyTools(`t${index}`), broken: [] });
    expect(count()).toBeLessThanOrEqual(limits.maxAllOfferedTools + 16 * (index + 1));
  }
  const honest = provider("honest");
  const tools = manyTools("farm", 8).map(({ name }) => ({ name, description: "Harvests." }));
  offered.offer(honest, { tools, broken: [] });
  expect(offered.of("honest")).toEqual({ tools, broken: [] });
  const [first] = offered.of("hostile 39").broken;
  expect(first?.problem).toBe(texts.allProvidersTogetherOfferToo);
  // Withdrawn tools no longer count.
  for (let index = 0; index < 40; index++) offered.withdraw(provider(`hostile ${index}`));
  offered.offer(honest, { tools: manyTools("farm", 100), broken: [] });
  expect(offered.of("honest").tools).toHaveLength(100);
});

it("the names of tools are not remembered for any number of scopes", async () => {
  const offers = Array.from({ length: 32 }, (_, index) => ({
    ...provider(`computer ${index}`),
    provider: provider(`computer ${index}`),
    tools: manyTools(`tool_of_${index}`).map(({ name }) => ({ name })),
    broken: [],
  }));
  const port = (scope?: string) =>
    ({
      scope,
      offered: {
        list: async () => offers,
        get: async (key: string) => offers.find((offer) => offer.key === key),
      },
      changes: { subscribe: () => () => {} },
    }) as unknown as ProviderPort;
  const catalog = new OfferedCatalog(port(), [], new Kinds(builtInKinds));
  await catalog.find("nothing", port("first"));
  const before = await heldBytes();
  for (let scope = 0; scope < 40; scope++) await catalog.find("nothing", port(`scope ${scope}`));
  expect((await heldBytes()) - before).toBeLessThan(60_000_000);
  expect(await catalog.find("tool_of_3_7", port("scope 39"))).toMatchObject({
    facts: { name: "tool_of_3_7" },
  });
});
