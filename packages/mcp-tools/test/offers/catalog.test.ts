import { createLocalPort, type ProviderPort } from "@ccbridge/registry";
import { expect, it } from "vitest";
import { OfferedCatalog } from "../../src/index.js";
import { createRegistry, linkRaw, settings, type TestRegistry } from "../harness.js";

const COMPUTERS = 128;
const TOOLS = 128;

function linkOffering(registry: TestRegistry, computerId: number, count: number) {
  const end = linkRaw(registry, { computerId, protocol: 2, methods: ["call-tool"], features: [] });
  const offer = (length: number) =>
    end.send(
      JSON.stringify({
        type: "tools",
        tools: Array.from({ length }, (_, index) => ({ name: `c${computerId}-tool${index}` })),
      }),
    );
  offer(count);
  return { offer };
}

function counting(port: ProviderPort) {
  const work = { offers: 0 };
  const counted: ProviderPort = {
    ...port,
    offered: {
      list: async () => {
        const offers = await port.offered.list();
        work.offers += offers.length;
        return offers;
      },
      get: (key) => {
        work.offers += 1;
        return port.offered.get(key);
      },
    },
  };
  return { port: counted, work };
}

it("a call reads the offer of its provider alone, however many tools are offered", async () => {
  const registry = createRegistry();
  const computers = Array.from({ length: COMPUTERS }, (_, id) => linkOffering(registry, id, TOOLS));
  const { port, work } = counting(createLocalPort(registry));
  const catalog = new OfferedCatalog(port, [], settings.kinds);
  const find = async (name: string) => {
    work.offers = 0;
    return (await catalog.find(name, port))?.facts.name;
  };
  expect((await catalog.list(port)).tools).toHaveLength(COMPUTERS * TOOLS);
  expect(await find("c7-tool99")).toBe("c7-tool99");
  expect(work.offers).toBe(1);
  expect(await find("C127_TOOL0")).toBe("c127-tool0");
  expect(work.offers).toBe(1);
  expect(await find("c128-tool0")).toBeUndefined();
  expect(work.offers).toBe(0);

  computers[7]?.offer(1);
  expect(await find("c7-tool99")).toBeUndefined();
  expect(work.offers).toBe(COMPUTERS);
  expect(await find("c7-tool0")).toBe("c7-tool0");
  expect(work.offers).toBe(1);
});

it("calls at the same time share the naming after a change, and see the change", async () => {
  const registry = createRegistry();
  const { offer } = linkOffering(registry, 1, 1);
  const { port, work } = counting(createLocalPort(registry));
  const catalog = new OfferedCatalog(port, [], settings.kinds);
  const first = catalog.find("c1-tool1", port);
  const second = catalog.find("c1-tool0", port);
  offer(2);
  expect(await first).toBeUndefined();
  expect((await second)?.facts.name).toBe("c1-tool0");
  expect(work.offers).toBe(2);
  expect((await catalog.find("c1-tool1", port))?.facts.name).toBe("c1-tool1");
});
