import {
  inventoryPeripheral,
  LuaError,
  monitorPeripheral,
  type PlacedComputerOptions,
  Results,
  WiredNetwork,
  type WorldOptions,
} from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { forComputer, isLinked, linkGameComputer, startWorld } from "./helpers.js";

async function game(options: PlacedComputerOptions = {}, worldOptions: WorldOptions = {}) {
  const bridge = await startTestBridge();
  const world = await startWorld(worldOptions);
  const computer = await linkGameComputer(bridge, world, options);
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: Record<string, unknown> = {}) =>
    callTool(client, name, forComputer(name, args));
  return { bridge, world, computer, call };
}

const coal = (count: number) => ({ name: "minecraft:coal", count });
const iron = (count: number) => ({ name: "minecraft:iron_ingot", count });

function furnish(computer: Awaited<ReturnType<typeof game>>["computer"]) {
  const network = new WiredNetwork();
  network.add(inventoryPeripheral({ items: { 2: coal(8), 5: iron(3) } }, network));
  network.add(inventoryPeripheral({ items: { 1: coal(64), 27: coal(1) } }, network));
  network.connect(computer, "back");
  computer.attach("left", monitorPeripheral());
}

describe.each(["1.100.0", "1.116.0"])("list-peripherals on CC %s", (version) => {
  it("shows sides, remote names, types and methods, one kind together", async () => {
    const { computer, call } = await game({ version });
    furnish(computer);
    const { text, structuredContent } = await call("list-peripherals");
    expect(text).toContain("4 peripherals at computer 12 (Label: base-turtle), by kind:");
    expect(text).toContain(
      texts.minecraftChestInventoryMinecraftChest +
        texts.methodsGetitemdetailGetitemlimitListPullitems,
    );
    expect(text).toMatch(/^monitor: left\n {2}methods: .*setTextScale/m);
    expect(structuredContent).toMatchObject({
      total: 4,
      kinds: [
        {
          types: ["minecraft:chest", "inventory"],
          peripherals: [
            { name: "minecraft:chest_0", via: "back" },
            { name: "minecraft:chest_1", via: "back" },
          ],
        },
        { types: ["modem", "peripheral_hub"], peripherals: [{ name: "back", via: null }] },
        { types: ["monitor"], peripherals: [{ name: "left", via: null }] },
      ],
    });
  });
});

describe("list-computers", () => {
  it("says what is attached, which programs there are and what runs", async () => {
    const { computer, call } = await game({
      advanced: true,
      files: {
        "/sort.lua": "",
        "/door/lock.lua": "",
        "/.hidden.lua": "",
        "/startup/own.lua": "",
        "/idle.lua": "os.pullEvent('never')",
      },
    });
    furnish(computer);
    await call("run-program", { command: "idle now", waitMs: 100 });
    const { text } = await call("list-computers");
    expect(text).toMatch(new RegExp(texts.labelBaseTurtleAdvancedComputer, "m"));
  });

  it("shows the rest when one peripheral answers oddly", async () => {
    const { computer, call } = await game({ files: { "/sort.lua": "" } });
    const network = new WiredNetwork();
    for (let chest = 0; chest < 5; chest += 1) network.add(inventoryPeripheral({}, network));
    network.connect(computer, "back");
    const methods = { getSize: () => new Map([["width", 29]]), getTextScale: () => true };
    computer.attach("top", { types: ["monitor"], methods });
    const { text } = await call("list-computers");
    expect(text).toContain("attached: chest (5), modem back, monitor top; programs: sort");
  });

  it("says what it does not know, in the list and in the resource, instead of nothing", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 7 });
    const client = await connectClient(bridge.mcpUrl);
    const { text, structuredContent } = await callTool(client, "list-computers");
    expect(text).toContain(texts.unknownWhatIsAttached);
    expect(structuredContent).toMatchObject({ computers: [{ attached: null, programs: null }] });
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { files: { "/sort.lua": "" } });
    computer.attach("left", monitorPeripheral());
    const { contents } = await client.readResource({ uri: "cc://computers" });
    const read = JSON.parse((contents[0] as { text: string }).text);
    expect(read.computers).toMatchObject([
      { computerId: 7, attached: null, programs: null },
      { computerId: 12, attached: [expect.stringContaining("monitor")], programs: ["sort"] },
    ]);
  });
});

describe("list-peripherals", () => {
  it("names methods of colours in one spelling", async () => {
    const { computer, call } = await game();
    furnish(computer);
    const { text } = await call("list-peripherals", { type: "monitor" });
    expect(text).toMatch(/setTextColour|setTextScale/);
    expect(text).not.toContain("Color,");
  });

  it("says what is attached when nothing matches, and when nothing is attached", async () => {
    const { computer, call } = await game();
    expect((await call("list-peripherals")).text).toBe(texts.nothingIsAttachedTo);
    furnish(computer);
    const { text } = await call("list-peripherals", { type: "printer" });
    expect(text).toContain(texts.noPeripheralOfType);
    expect(text).toContain(texts.thereAreMonitorModemPeripheral);
    expect((await call("list-peripherals", { type: "inventory" })).structuredContent).toMatchObject(
      { total: 2 },
    );
  });

  it("pages through hundreds without losing one", async () => {
    const { computer, call } = await game();
    const network = new WiredNetwork();
    network.connect(computer, "back");
    for (let index = 0; index < 250; index++) {
      const methods = Object.fromEntries(
        Array.from({ length: 15 }, (_, n) => [`method${index % 9}Number${n}`, () => 1]),
      );
      network.add({ types: [`mod:machine_of_kind_${index % 9}`], methods });
    }
    const seen = new Set<string>();
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { text, structuredContent } = await call("list-peripherals", { offset });
      expect(text.length).toBeLessThan(12_000);
      const page = structuredContent as {
        kinds: { peripherals: { name: string }[] }[];
        next?: number;
      };
      for (const { name } of page.kinds.flatMap(({ peripherals }) => peripherals)) seen.add(name);
      offset = page.next;
    }
    expect(seen.size).toBe(251);
  });
});

describe("call-peripheral", () => {
  it("makes many calls in the time of one", async () => {
    const { world, computer, call } = await game({}, { ticksPerSecond: 20 });
    furnish(computer);
    const calls = Array.from({ length: 60 }, () => ({ name: "minecraft:chest_0", method: "size" }));
    const before = world.ticks;
    const { structuredContent } = await call("call-peripheral", { calls });
    // Sequentially they would take a tick each.
    expect(world.ticks - before).toBeLessThan(50);
    const { results } = structuredContent as { results: { ok: boolean; returns: unknown[] }[] };
    expect(results).toHaveLength(60);
    for (const { ok, returns } of results) {
      expect({ ok, returns }).toEqual({ ok: true, returns: [{ type: "number", value: 27 }] });
    }
    const move = {
      name: "minecraft:chest_0",
      method: "pushItems",
      args: ["minecraft:chest_1", 5, 2],
    };
    expect((await call("call-peripheral", { calls: [move] })).text).toBe(
      "Called on computer 12 (Label: base-turtle):\nminecraft:chest_0.pushItems: 2",
    );
    expect((await call("list-inventory", { item: "iron" })).text).toContain(
      "3 minecraft:iron_ingot (2 slots)",
    );
  });

  it("gives each call its own outcome", async () => {
    const { computer, call } = await game();
    furnish(computer);
    computer.attach("right", {
      types: ["thermometer"],
      methods: {
        read: () => new Results(21.5, "warm"),
        silent: () => {},
        fail: () => {
          throw new LuaError("it\u0007 broke");
        },
      },
    });
    const { text, structuredContent, isError } = await call("call-peripheral", {
      calls: [
        { name: "right", method: "read" },
        { name: "right", method: "fail" },
        { name: "right", method: "silent" },
        { name: "chest_9", method: "list" },
        { name: "right", method: "melt" },
        { name: "minecraft:chest_0", method: "getItemDetail", args: [99] },
      ],
    });
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({
      results: [
        { ok: true, returns: [{ value: 21.5 }, { value: "warm" }] },
        { ok: false, error: "it\u0007 broke" },
        { ok: true, returns: [] },
        {
          ok: false,
          error: expect.stringContaining(texts.thereIsNoPeripheralNamed),
        },
        { ok: false, error: texts.rightThermometerHasNoMethod },
        { ok: false, error: expect.stringContaining("Slot out of range") },
      ],
    });
    expect(text).toContain('right.read: 21.5, "warm"');
    expect(text).toContain("right.silent: nothing returned");
    expect(text).toContain(texts.ofCallsFailedOn);
  });

  it("is an error when every call failed", async () => {
    const { call } = await game();
    const result = await call("call-peripheral", { calls: [{ name: "top", method: "x" }] });
    expect(result.isError).toBe(true);
    expect(result.text).toContain(texts.thereIsNoPeripheralNamedTop);
  });

  it("passes arguments unchanged, with nil in the middle", async () => {
    const { computer, call } = await game();
    const got: unknown[][] = [];
    computer.attach("top", {
      types: ["recorder"],
      methods: {
        take: (...args) => {
          got.push(args);
        },
      },
    });
    const args = ["text", null, true, 1.5, null];
    await call("call-peripheral", { calls: [{ name: "top", method: "take", args }] });
    expect(got).toEqual([["text", undefined, true, 1.5, undefined]]);
  });

  it("reports a peripheral that is taken away during the call", async () => {
    const { computer, call } = await game();
    computer.attach("top", {
      types: ["shy"],
      mainThread: true,
      methods: {
        hide: () => {
          computer.detach("top");
        },
      },
    });
    const { text, isError } = await call("call-peripheral", {
      calls: [{ name: "top", method: "hide" }],
    });
    expect(isError).toBe(true);
    expect(text).toContain(texts.topWasDetachedDuring);
  });

  it("keeps slot numbers of sparse tables, and bounds large results", async () => {
    const { computer, call } = await game();
    furnish(computer);
    computer.attach("top", {
      types: ["talker"],
      methods: { talk: () => "x".repeat(200_000) },
    });
    const { text } = await call("call-peripheral", {
      calls: [
        { name: "minecraft:chest_0", method: "list" },
        { name: "top", method: "talk" },
      ],
    });
    expect(text).toContain('[2] = { count = 8, name = "minecraft:coal" }, [5] = {');
    expect(text.length).toBeLessThan(12_000);
  });

  it("refuses an invalid call before anything is sent", async () => {
    const { call } = await game();
    for (const calls of [[], [{ name: "top" }], Array(65).fill({ name: "top", method: "x" })]) {
      const { text, isError } = await call("call-peripheral", { calls });
      expect(isError).toBe(true);
      expect(text).toContain("Correct this and call");
    }
  });
});

describe("list-inventory", () => {
  it("sums up all chests and shows each slot by its number", async () => {
    const { computer, call } = await game();
    furnish(computer);
    computer.attach("top", inventoryPeripheral({ type: "minecraft:barrel" }));
    const { text, structuredContent } = await call("list-inventory");
    expect(text).toBe(
      [
        "3 inventories at computer 12 (Label: base-turtle).",
        "Totals: 73 minecraft:coal (3 slots), 3 minecraft:iron_ingot (1 slot)",
        "top (minecraft:barrel, 0 of 27 slots used): empty",
        texts.minecraftChestMinecraftChestOf,
        texts.minecraftChestMinecraftChestOfSlots,
      ].join("\n"),
    );
    expect(structuredContent).toMatchObject({
      totals: [
        { item: "minecraft:coal", count: 73, stacks: 3 },
        { item: "minecraft:iron_ingot", count: 3, stacks: 1 },
      ],
      total: 3,
      moreTotals: 0,
    });
  });

  it("narrows down by name and by item", async () => {
    const { computer, call } = await game();
    furnish(computer);
    const some = await call("list-inventory", { names: ["minecraft:chest_0", "left", "nope"] });
    expect(some.text).toContain(texts.leftIsNotAnInventory);
    expect(some.text).toContain(texts.thereIsNoPeripheral);
    expect(some.text).toContain(
      "Totals: 8 minecraft:coal (1 slot), 3 minecraft:iron_ingot (1 slot)",
    );
    expect((await call("list-inventory", { item: "IRON" })).structuredContent).toMatchObject({
      total: 1,
      inventories: [{ name: "minecraft:chest_0", used: 2, slots: [{ slot: 5, count: 3 }] }],
    });
    expect((await call("list-inventory", { item: "diamond" })).text).toBe(
      texts.noneOfTheInventoriesAt,
    );
    const none = await call("list-inventory", { names: ["nope"] });
    expect(none.isError).toBe(true);
    expect(none.text).toContain(texts.thereIsNoPeripheral);
  });

  it("says what to do without any", async () => {
    const { call } = await game();
    expect((await call("list-inventory")).text).toContain(texts.cannotReachAnyInventoryA);
  });

  it("reads a hundred full chests, pages them and counts them all", async () => {
    const { computer, call } = await game();
    const network = new WiredNetwork();
    const items = Object.fromEntries(Array.from({ length: 27 }, (_, n) => [n + 1, coal(64)]));
    for (let index = 0; index < 100; index++) network.add(inventoryPeripheral({ items }, network));
    network.connect(computer, "back");
    const names = new Set<string>();
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { text, structuredContent } = await call("list-inventory", { offset });
      expect(text.length).toBeLessThan(12_000);
      expect(text).toContain(`Totals: ${100 * 27 * 64} minecraft:coal (2700 slots)`);
      const page = structuredContent as { inventories: { name: string }[]; next?: number };
      for (const { name } of page.inventories) names.add(name);
      offset = names.size > 3 && page.next !== undefined && page.next < 96 ? 96 : page.next;
    }
    expect(names).toContain("minecraft:chest_0");
    expect(names).toContain("minecraft:chest_99");
  });
});

describe("redstone", () => {
  it("gives a pulse and restores the previous value", async () => {
    const { computer, call } = await game();
    await call("redstone", { side: "top", strength: 3 });
    const levels: number[] = [];
    const stop = setInterval(() => levels.push(computer.redstone.output("top")), 1);
    const { text } = await call("redstone", { side: "top", output: true, pulseMs: 150 });
    clearInterval(stop);
    expect(text).toContain(texts.theSideTopWasSet);
    expect(levels).toContain(15);
    expect(computer.redstone.output("top")).toBe(3);
    expect((await call("redstone", { pulseMs: 50 })).text).toContain(texts.theSideToSet);
  });

  it("lists only sides with a signal", async () => {
    const { call } = await game();
    const head = "Redstone at computer 12 (Label: base-turtle):\n";
    expect((await call("redstone")).text).toBe(fill(texts.noSideHasARedstone, head));
    expect((await call("redstone", { side: "left", strength: 2 })).text).toBe(
      fill(texts.theSideLeftIsSet, head),
    );
  });

  it("reads all sides", async () => {
    const { computer, call } = await game();
    computer.redstone.setInput("left", 9);
    computer.redstone.setBundledInput("back", 2 ** 14 + 1);
    const { text, structuredContent } = await call("redstone");
    expect(text).toContain("left: in 9, out 0");
    expect(text).toContain("back: in 0, out 0, bundled in white+red");
    expect((structuredContent as { sides: unknown[] }).sides).toHaveLength(6);
  });

  it("sets a side on, to a strength, off, and by colours", async () => {
    const { computer, call } = await game();
    const set = await call("redstone", { side: "top", output: true });
    expect(set.text).toContain("The side top is set.");
    expect(computer.redstone.output("top")).toBe(15);
    await call("redstone", { side: "top", strength: 7 });
    expect(computer.redstone.output("top")).toBe(7);
    await call("redstone", { side: "top", output: false });
    expect(computer.redstone.output("top")).toBe(0);
    const coloured = await call("redstone", { side: "back", bundled: ["red", "white"] });
    expect(coloured.text).toContain("back: in 0, out 0, bundled out white+red");
    expect((await call("redstone", { side: "back", bundled: [] })).text).not.toContain("bundled");
  });

  it.each([
    [{ side: "top" }, "There is nothing to set at the side top."],
    [{ output: true }, "The side to set is missing."],
    [{ side: "top", output: true, strength: 3 }, "Only one of output, strength and bundled"],
    [{ side: "north", output: true }, "Correct this and call"],
    [{ side: "top", strength: 16 }, "Correct this and call"],
  ])("changes nothing for %j", async (args, problem) => {
    const { computer, call } = await game();
    const { text, isError } = await call("redstone", args);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
    expect(computer.redstone.output("top")).toBe(0);
  });
});

describe("a quick question", () => {
  it("to a computer that is not linked names the linked ones", async () => {
    const { call } = await game();
    const { text, isError } = await call("list-peripherals", { computerId: 5 });
    expect(isError).toBe(true);
    expect(text).toContain(texts.computerIsNotLinkedLinked);
  });

  it("leaves nothing behind: a dropped link brings no job out of it", async () => {
    const { bridge, computer, call } = await game();
    await call("redstone");
    await call("list-peripherals");
    bridge.computers.find(12).close("disconnected", "cut by the test");
    await computer.until(() => isLinked(bridge, 12));
    expect((await call("list-jobs", { computerId: 12 })).text).toBe("No jobs.");
  });
});
