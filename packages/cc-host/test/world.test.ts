import { expect, it } from "vitest";
import {
  computerPeripheral,
  inventoryPeripheral,
  LuaError,
  monitorPeripheral,
  Results,
  WiredNetwork,
} from "../src/index.js";
import { newWorld, reported, run } from "./helpers.js";

it("should move, dig and place in the grid, eight ticks each", async () => {
  const world = await newWorld();
  world.blocks.set({ x: 0, y: 64, z: -2 }, "minecraft:stone");
  world.blocks.set({ x: 0, y: 63, z: 0 }, { name: "minecraft:bedrock", unbreakable: true });
  const turtle = world.computer({ kind: "turtle", turtle: { fuel: 3 } });
  await run(
    turtle,
    `report(turtle.forward()) report(turtle.forward()) report(turtle.inspect())
     report(turtle.dig()) report(turtle.dig()) report(turtle.getItemDetail().name, turtle.getItemCount(1))
     report(turtle.forward()) report(turtle.place()) report(turtle.place()) report(turtle.detect())
     turtle.turnRight() report(turtle.forward()) report(turtle.forward())
     report(turtle.getFuelLevel(), turtle.getFuelLimit())
     report(pcall(turtle.select, 17)) report(pcall(turtle.drop, 65))`,
  );
  const started = world.ticks;
  while (reported(turtle).length < 15 && world.ticks < started + 200) world.tick();
  expect(reported(turtle)).toEqual([
    "true",
    "false|Movement obstructed",
    expect.stringMatching(/^true\|table/),
    "true",
    "false|Nothing to dig here",
    "minecraft:stone|1",
    "true",
    "true",
    "false|No items to place",
    "true",
    "true",
    "false|Out of fuel",
    "0|20000",
    "false|Slot number 17 out of range",
    "false|Item count 65 out of range",
  ]);
  expect(turtle.turtle?.position).toEqual({ x: 1, y: 64, z: -2 });
  expect(turtle.turtle?.facing).toBe("east");
  expect(world.ticks - started).toBeGreaterThan(6 * 8);
});

it("should refuel, drop, suck and report changes of its inventory", async () => {
  const world = await newWorld();
  const chest = {
    name: "minecraft:chest",
    inventory: [{ name: "minecraft:coal", count: 10 }, undefined],
  };
  world.blocks.set({ x: 0, y: 64, z: -1 }, chest);
  const turtle = world.computer({
    kind: "turtle",
    advanced: true,
    turtle: { items: { 2: { name: "minecraft:dirt", count: 5 } } },
  });
  await run(
    turtle,
    `report(turtle.suck(4)) report(turtle.refuel(1)) report(turtle.getFuelLevel())
     turtle.select(2) report(turtle.refuel()) report(turtle.drop(3)) report(turtle.transferTo(5, 1))
     report(turtle.getItemCount(2), turtle.getItemCount(5), turtle.getItemSpace(5), turtle.getFuelLimit())
     turtle.select(16) report(turtle.drop()) report(turtle.suckUp()) report(turtle.back())
     report(turtle.up(), turtle.attack())`,
  );
  while (reported(turtle).length < 11 && world.ticks < 300) world.tick();
  expect(reported(turtle)).toEqual([
    "true",
    "true",
    "80",
    "false|Items not combustible",
    "true",
    "true",
    "1|1|63|100000",
    "false|No items to drop",
    "false|No items to take",
    "true",
    "true|false|Nothing to attack here",
  ]);
  expect(chest.inventory).toEqual([
    { name: "minecraft:coal", count: 6 },
    { name: "minecraft:dirt", count: 3 },
  ]);
});

it("should refuse to leave the loaded world and queue at most 17 commands", async () => {
  const world = await newWorld();
  world.blocks.isLoaded = ({ x }) => Math.abs(x) < 1;
  const turtle = world.computer({ kind: "turtle", turtle: { fuel: "unlimited", facing: "east" } });
  await run(
    turtle,
    `report(turtle.forward()) report(turtle.getFuelLevel())
     local calls = {}
     for i = 1, 20 do calls[i] = function() local ok, err = turtle.turnLeft() if not ok then report(err) end end end
     parallel.waitForAll(table.unpack(calls)) report("done")`,
  );
  for (let tick = 0; tick < 200 && !reported(turtle).includes("done"); tick++) world.tick();
  expect(reported(turtle)).toEqual([
    "false|Cannot leave loaded world",
    "unlimited",
    ...Array(3).fill("Too many ongoing turtle commands"),
    "done",
  ]);
});

it("should report what is equipped only from 1.116 on", async () => {
  const world = await newWorld();
  const program = "report(type(turtle.getEquippedLeft))";
  expect(await run(world.computer({ kind: "turtle", version: "1.115.1" }), program)).toEqual([
    "nil",
  ]);
  expect(await run(world.computer({ kind: "turtle", version: "1.116.0" }), program)).toEqual([
    "function",
  ]);
});

it("should call peripherals at once or on the main thread, one tick for many in parallel", async () => {
  const world = await newWorld();
  const computer = world.computer();
  computer.attach("left", {
    types: ["thing", "other"],
    mainThread: (method) => method === "slow",
    methods: {
      add: (a, b) => Number(a) + Number(b),
      slow: (value) => new Results(value as string, [1, 2], new Map([[3, "x"]])),
      fail: () => {
        throw new LuaError("broken");
      },
    },
  });
  await run(
    computer,
    `report(peripheral.getType("left")) report(peripheral.hasType("left", "other"), peripheral.isPresent("top"))
     local p = peripheral.wrap("left")
     report(p.add(1, 2), peripheral.getName(p), peripheral.find("thing") ~= nil)
     report(select("#", peripheral.call("top", "x")), pcall(peripheral.call, "left", "none"))
     report(pcall(p.fail))
     local before = os.clock()
     parallel.waitForAll(function() p.slow("a") end, function() p.slow("b") end, function() p.slow("c") end)
     report(os.clock() - before <= 0.0501)
     local text, list, sparse = p.slow("z\\0")
     report(#text, #list, sparse[3])`,
  );
  world.tick(3);
  const lines = reported(computer);
  expect(lines.slice(0, 3)).toEqual(["thing|other", "true|false", "3|left|true"]);
  expect(lines[3]).toContain("No such method none");
  expect(lines[4]).toContain("broken");
  expect(lines.slice(5)).toEqual(["true", "2|2|x"]);
});

it("should announce peripherals and return nothing for one that left during a call", async () => {
  const world = await newWorld();
  const computer = world.computer();
  computer.attach("top", { types: ["slow"], mainThread: true, methods: { get: () => 1 } });
  await run(
    computer,
    `report(select("#", peripheral.call("top", "get")))
     report(os.pullEvent("peripheral")) report(os.pullEvent("peripheral_detach"))`,
  );
  computer.detach("top");
  world.tick();
  computer.attach("back", { types: ["x"], methods: {} });
  computer.detach("back");
  await computer.idle();
  expect(reported(computer)).toEqual(["0", "peripheral|back", "peripheral_detach|back"]);
});

it("should move items between inventories of a wired network", async () => {
  const world = await newWorld();
  const network = new WiredNetwork();
  const chest = inventoryPeripheral(
    { items: { 2: { name: "minecraft:stone", count: 10 } } },
    network,
  );
  network.add(chest);
  network.add(inventoryPeripheral({ size: 2 }, network));
  const computer = world.computer();
  network.connect(computer, "back");
  await run(
    computer,
    `report(table.concat(peripheral.getNames(), " "))
     local a = peripheral.wrap("minecraft:chest_0")
     report(peripheral.getType("minecraft:chest_0"))
     report(a.size(), (next(a.list())), a.list()[2].count)
     report(a.pushItems("minecraft:chest_1", 2, 4, 2))
     report(a.getItemDetail(2).count, peripheral.call("minecraft:chest_1", "getItemDetail", 2).maxCount)
     report(pcall(a.pushItems, "nowhere", 2))
     report(#{ peripheral.find("inventory") })`,
  );
  for (let tick = 0; tick < 20; tick++) world.tick();
  expect(reported(computer)).toEqual([
    "back minecraft:chest_0 minecraft:chest_1",
    "minecraft:chest|inventory",
    "27|2|10",
    "4",
    "6|64",
    expect.stringContaining("Target 'nowhere' does not exist"),
    "2",
  ]);
});

it("should drive a neighbour computer, a monitor and redstone", async () => {
  const world = await newWorld();
  const neighbour = world.computer({ label: "next" });
  const computer = world.computer();
  const monitor = monitorPeripheral(10, 2);
  computer.attach("left", computerPeripheral(neighbour));
  computer.attach("top", monitor);
  computer.redstone.setInput("back", 7);
  await run(
    computer,
    `local c = peripheral.wrap("left") report(c.getID(), c.getLabel(), c.isOn()) c.turnOn()
     local m = peripheral.wrap("top") m.setCursorPos(1, 1) m.write("hi") term.redirect(m) print() write("x") term.redirect(term.native())
     rs.setAnalogOutput("front", 9) report(rs.getInput("back"), rs.getAnalogInput("back"), rs.getOutput("front"))
     report(os.pullEvent("redstone"))`,
  );
  computer.redstone.setInput("back", 0);
  await computer.idle();
  await neighbour.idle();
  expect(reported(computer)).toEqual(["0|next|false", "true|7|true", "redstone"]);
  expect(neighbour.isOn).toBe(true);
  expect(monitor.screen.text()).toBe("hi\nx");
  expect(computer.redstone.output("front")).toBe(9);
});

it.each(["wireless", "wired"])("should carry rednet messages between %s modems", async (kind) => {
  const world = await newWorld();
  const [alice, bob] = [world.computer(), world.computer()];
  const network = new WiredNetwork();
  for (const computer of [alice, bob]) {
    if (kind === "wireless") world.radio.attach(computer, "top");
    else network.connect(computer, "top");
  }
  await run(bob, 'rednet.open("top") report(rednet.receive("p"))');
  await run(alice, 'rednet.open("top") report(rednet.send(1, "hello", "p"))');
  await bob.until(() => reported(bob).length === 1);
  expect(reported(alice)).toEqual(["true"]);
  expect(reported(bob)).toEqual(["0|hello|p"]);
});

it("should run commands on the main thread and asynchronously", async () => {
  const world = await newWorld();
  const computer = world.computer({
    kind: "command",
    commands: {
      position: { x: 1, y: 2, z: 3 },
      onCommand: (line) =>
        line === "list" ? { ok: true, output: ["none"], affected: 0 } : undefined,
    },
  });
  await run(
    computer,
    `local ok, out, n = commands.exec("setblock 5 6 7 stone") report(ok, out[1], n)
     ok, out, n = commands.nonsense("x") report(ok, #out, n)
     report(commands.getBlockPosition()) report(commands.getBlockInfo(5, 6, 7).name, #commands.getBlockInfos(0, 0, 0, 1, 1, 1))
     report(pcall(commands.getBlockInfos, 0, 0, 0, 100, 100, 100))
     local id = commands.execAsync("list")
     local e = table.pack(os.pullEvent("task_complete")) report(e[2] == id, e[3], e[4], e[5][1], e[6])
     report(term.isColour(), gps.locate())`,
  );
  world.tick(10);
  expect(reported(computer)).toEqual([
    "true|Changed the block at 5, 6, 7|1",
    "false|2|0",
    "1|2|3",
    "minecraft:stone|8",
    expect.stringContaining("Too many blocks"),
    "true|true|true|none|0",
    "true|1|2|3",
  ]);
  expect(world.blocks.get({ x: 5, y: 6, z: 7 })?.name).toBe("minecraft:stone");
  const disabled = world.computer({ kind: "command", commands: { enabled: false } });
  await run(disabled, 'local ok, out = commands.exec("say x") report(ok, out[1])');
  world.tick();
  expect(reported(disabled)).toEqual(["false|Command blocks disabled by server"]);
});
