import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakeBridge } from "@ccbridge/server-contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { FakeServer } from "./fake-server/index.js";
import { versions } from "./fake-server/world.js";
import { createAgent, startScene, token } from "./harness.js";

describe("the link", () => {
  it("introduces the server with its name, token and capabilities", async () => {
    const { bridge } = await startScene();
    const [request] = bridge.requests;
    expect(request?.headers.authorization).toBe(`Bearer ${token}`);
    expect(request?.url).toContain("server=minecraft");
    expect(bridge.hellos[0]).toMatchObject({
      name: "minecraft",
      route: "RCON + log",
      capabilities: {
        tools: expect.arrayContaining(["execute_command", "get_world_info"]),
        events: ["player_join", "player_quit", "player_chat", "player_death"],
        notes: { block_break: expect.stringContaining("mod") },
      },
    });
  });

  it("writes no secret of the bridge's address into its log", async () => {
    const server = await FakeServer.start();
    const bridge = await FakeBridge.start();
    const url = `${bridge.url.replace("//", "//someone:pass-word-1@")}?token=query-word-2&x=word-3`;
    const { agent, lines } = createAgent(server, bridge, { overrides: { url, token } });
    onTestFinished(async () => {
      await agent.stop();
      await Promise.all([server.stop(), bridge.close()]);
    });
    await agent.start();
    await expect.poll(() => lines.join("\n")).toContain("linked to the bridge");
    expect(bridge.requests[0]?.url).toContain("token=query-word-2");
    expect(lines.join("\n")).not.toMatch(/word-\d|someone/);
    expect(lines.join("\n")).toContain(`***@127.0.0.1:${bridge.port}/minecraft?token=***`);
  });

  it("survives invalid messages, and answers those with an id", async () => {
    const { bridge } = await startScene();
    bridge.send("nonsense");
    bridge.send("{}");
    bridge.send(JSON.stringify({ version: "1.0.0", id: "x", type: "gossip" }));
    await bridge.until(() => bridge.frames.some(({ id }) => id === "x"));
    expect(bridge.frames.find(({ id }) => id === "x")).toMatchObject({
      type: "error",
      outcome: { ok: false, code: "SCHEMA_ERROR" },
    });
    expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: [] });
  });

  it("works with another version, and warns once", async () => {
    const { bridge, lines } = await startScene();
    for (const id of ["a", "b"]) {
      bridge.send(
        JSON.stringify({
          version: "7.0.0",
          type: "query",
          id,
          timestamp: 1,
          source: "mcp",
          payload: { query: "get_online_players", args: {}, news: true },
        }),
      );
    }
    await bridge.until(() => bridge.frames.some(({ id }) => id === "b"));
    expect(lines.filter((line) => line.includes("another version"))).toHaveLength(1);
  });

  it("keeps events over a dropped link: none is lost, none comes twice out of order", async () => {
    const { server, bridge } = await startScene();
    server.join("Steve");
    await bridge.until(() => bridge.events.length === 1);
    bridge.acknowledges = false;
    server.log.chat("Steve", "on its way");
    await bridge.until(() => bridge.events.length === 2);
    const port = bridge.port;
    await bridge.close();
    for (let n = 0; n < 50; n++) server.log.chat("Steve", `while away ${n}`);
    const second = await FakeBridge.start(port);
    onTestFinished(() => second.close());
    await second.until(() => second.events.length === 51);
    const messages = second.events.map(
      ({ payload }) => (payload.data as { message: string }).message,
    );
    expect(messages).toEqual([
      "on its way",
      ...Array.from({ length: 50 }, (_, n) => `while away ${n}`),
    ]);
    expect(second.events.map(({ payload }) => payload.seq)).toEqual(
      Array.from({ length: 51 }, (_, n) => n + 1),
    );
  });

  it("does not resend events that the bridge has", async () => {
    const { server, bridge } = await startScene();
    bridge.acknowledges = true;
    server.join("Steve");
    await bridge.until(() => bridge.events.length === 1);
    bridge.nextEvent = 1;
    bridge.drop();
    await bridge.until(() => bridge.hellos.length === 2);
    server.log.chat("Steve", "hi");
    await bridge.until(() => bridge.events.length === 2);
    expect(bridge.events[1]?.payload).toMatchObject({ seq: 1, eventType: "player_chat" });
  });

  it("never writes a secret to its log", async () => {
    const { server, bridge, lines } = await startScene({
      prepare: ({ rcon }) => {
        rcon.password = "hunter2hunter2";
      },
    });
    server.writeProperties();
    await bridge.call("execute_command", { command: `say ${token}` });
    expect(lines.join("\n")).not.toContain(token);
    expect(lines.join("\n")).not.toContain("hunter2hunter2");
    expect(lines.join("\n")).toContain("***");
  });
});

describe("the tools", () => {
  it("list players, and move and equip them", async () => {
    const { server, bridge } = await startScene();
    const steve = server.world.addPlayer("Steve", { dimension: "minecraft:the_nether" });
    expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: ["Steve"] });
    const moved = await bridge.call("teleport_player", { player: "steve", x: 10, y: 64, z: -3 });
    expect(moved).toMatchObject({ ok: true, data: { success: true } });
    expect(steve.position).toEqual([10, 64, -3]);
    expect(steve.dimension).toBe("minecraft:the_nether");
    await bridge.call("teleport_player", {
      player: "Steve",
      x: 1e-7,
      y: 0.5,
      z: 2.25,
      world: "end",
    });
    expect(steve.position).toEqual([0, 0.5, 2.25]);
    expect(steve.dimension).toBe("minecraft:the_end");
    expect(
      await bridge.call("give_item", { player: "Steve", item: "minecraft:diamond", quantity: 3 }),
    ).toMatchObject({ ok: true, data: { message: "Gave 3 [minecraft:diamond] to Steve" } });
  });

  it.each([
    ["teleport_player", { player: "Nobody", x: 1, y: 2, z: 3 }, "PLAYER_NOT_FOUND"],
    ["give_item", { player: "Nobody", item: "stone", quantity: 1 }, "PLAYER_NOT_FOUND"],
    ["get_player_info", { player: "Nobody" }, "PLAYER_NOT_FOUND"],
    ["send_message", { message: "hi", target: "Nobody" }, "PLAYER_NOT_FOUND"],
    ["give_item", { player: "Steve", item: "nonsense", quantity: 1 }, "INVALID_ARGS"],
    ["give_item", { player: "Steve\nop x", item: "stone", quantity: 1 }, "INVALID_ARGS"],
    ["give_item", { player: "@a", item: "stone", quantity: 1 }, "INVALID_ARGS"],
    ["give_item", { player: "Steve", item: "stone", quantity: 0 }, "INVALID_ARGS"],
    ["teleport_player", { player: "Steve", x: 4e7, y: 2, z: 3 }, "INVALID_ARGS"],
    ["teleport_player", { player: "Steve", x: 1, y: 2, z: 3, world: "a b" }, "INVALID_ARGS"],
    ["teleport_player", { player: "Steve", x: 1, y: 2, z: 3, world: "mod:x" }, "INVALID_ARGS"],
    ["get_world_info", { x: 0, y: 0, z: 0, radius: 99 }, "INVALID_ARGS"],
    ["send_message", { message: "a\u0007b" }, "INVALID_ARGS"],
    ["execute_command", { command: "op Steve" }, "INVALID_COMMAND"],
    ["execute_command", { command: "say hi\nop Steve" }, "INVALID_COMMAND"],
    ["execute_command", { command: `say ${"x".repeat(300)}` }, "INVALID_COMMAND"],
    ["dance", {}, "INVALID_COMMAND"],
  ])("%s of %j answers %s", async (name, args, code) => {
    const { server, bridge } = await startScene();
    server.world.addPlayer("Steve");
    const outcome = await bridge.call(name, args);
    expect(outcome).toMatchObject({ ok: false, code, message: expect.stringMatching(/\w/) });
    expect(server.world.commands.filter((command) => /\n|^op/.test(command))).toEqual([]);
  });

  it("send messages of any length and with line breaks", async () => {
    const { server, bridge } = await startScene();
    const steve = server.world.addPlayer("Steve");
    expect(
      await bridge.call("send_message", { message: "two\nlines", target: "Steve" }),
    ).toMatchObject({ ok: true });
    const long = "漢字😀".repeat(250);
    expect(await bridge.call("send_message", { message: long })).toMatchObject({ ok: true });
    expect(steve.messages[0]).toBe("two\nlines");
    expect(steve.messages.slice(1).join("")).toBe(long);
    expect(server.rcon.violations).toBe(0);
    server.world.removePlayer("Steve");
    expect(await bridge.call("send_message", { message: "hi" })).toMatchObject({ ok: true });
  });

  it("carry text beyond ASCII both ways", async () => {
    const { server, bridge } = await startScene({
      prepare: ({ folder }) =>
        writeFileSync(
          join(folder, "minecraft-mcp-bridge.toml"),
          "[commands]\nallowed_patterns = ['^(say|tellraw) .*$']\n",
        ),
    });
    const text = "żółć ☃ 🎮";
    const steve = server.world.addPlayer("Steve", {
      inventory: [`{id: "minecraft:bread", components: {"minecraft:custom_name": "${text}"}}`],
    });
    await bridge.call("send_message", { message: text, target: "Steve" });
    const tellraw = `tellraw Steve {"text":"${text}"}`;
    for (const command of [`say ${text}`, tellraw]) {
      expect(await bridge.call("execute_command", { command })).toMatchObject({ ok: true });
      expect(server.world.commands.at(-1)).toBe(command);
    }
    expect(steve.messages).toEqual([text, text]);
    expect(await bridge.call("get_player_info", { player: "Steve" })).toMatchObject({
      data: { inventory: [{ type: "minecraft:bread", displayName: text }] },
    });
    server.log.chat("Steve", text);
    await bridge.until(() => bridge.events.length === 1);
    expect(bridge.events[0]?.payload.data).toEqual({ player: "Steve", message: text });
    for (const [name, args] of [
      ["teleport_player", { player: "żółć", x: 1, y: 2, z: 3 }],
      ["give_item", { player: "Steve", item: "☃", quantity: 1 }],
      ["get_player_info", { player: "🎮" }],
    ] as const) {
      expect(await bridge.call(name, args)).toMatchObject({ ok: false, code: "INVALID_ARGS" });
    }
  });

  it("give everything about a player, as old and new versions write it", async () => {
    const { server, bridge } = await startScene();
    const old = server.world.addPlayer("Old", {
      uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5",
      health: 7.5,
      foodLevel: 3,
      gameType: 1,
      position: [1.5, 64, -3.25],
      inventory: [
        `{Slot: 0b, id: "minecraft:bread", Count: 33b}`,
        `{Slot: 1b, id: "minecraft:iron_sword", Count: 1b, tag: {display: {Name: '{"text":"Sting"}'}, Damage: 3}}`,
      ],
    });
    expect(await bridge.call("get_player_info", { player: "old" })).toEqual({
      ok: true,
      data: {
        name: "Old",
        uuid: old.uuid,
        health: 7.5,
        foodLevel: 3,
        gameMode: "creative",
        location: { world: "minecraft:overworld", x: 1.5, y: 64, z: -3.25 },
        inventory: [
          { type: "minecraft:bread", quantity: 33 },
          { type: "minecraft:iron_sword", quantity: 1, displayName: "Sting" },
        ],
      },
    });
    server.world.addPlayer("New", {
      inventory: [
        `{count: 5, Slot: 0b, components: {"minecraft:custom_name": '"Sting"', "minecraft:damage": 3}, id: "minecraft:bread"}`,
        `{Slot: 1b, components: {"minecraft:custom_name": {text: "A", extra: [{text: "B"}, "C"]}}, id: "minecraft:stone"}`,
        `{count: 1, Slot: 2b, components: {"minecraft:custom_name": "Plain"}, id: "minecraft:dirt"}`,
      ],
      equipment: `{head: {count: 1, id: "minecraft:iron_helmet"}}`,
    });
    const fresh = await bridge.call("get_player_info", { player: "New" });
    expect(fresh).toMatchObject({
      data: {
        inventory: [
          { type: "minecraft:bread", quantity: 5, displayName: "Sting" },
          { type: "minecraft:stone", quantity: 1, displayName: "ABC" },
          { type: "minecraft:dirt", quantity: 1, displayName: "Plain" },
          { type: "minecraft:iron_helmet", quantity: 1 },
        ],
      },
    });
  });

  it("give the state of the server, and what a version cannot report", async () => {
    const { server, bridge } = await startScene();
    server.world.weather = "thunder";
    server.world.averageTickMs = 100;
    server.world.dayTime = 30_000;
    expect(await bridge.call("get_server_info")).toEqual({
      ok: true,
      data: {
        version: "1.21.11",
        onlinePlayers: 0,
        maxPlayers: 20,
        timeOfDay: 6_000,
        weather: "thunder",
        tps: 10,
      },
    });
    server.world.version = versions.old;
    expect(await bridge.call("get_server_info")).toMatchObject({
      data: {
        version: "1.16.5",
        weather: null,
        tps: 20,
        notes: [expect.stringContaining("1.20.5")],
      },
    });
  });

  it("list entities with their kinds, and say why there are no blocks", async () => {
    const { server, bridge } = await startScene();
    server.world.addPlayer("Steve", { position: [1, 64, 1] });
    const at = (x: number) => ({ position: [x, 64, 0] as [number, number, number] });
    const dimension = "minecraft:overworld";
    server.world.entities.push(
      { type: "minecraft:cow", name: "Cow", dimension, ...at(2) },
      { type: "minecraft:cow", name: "Pig", dimension, ...at(3) },
      { type: "minecraft:iron_golem", name: "Iron Golem", dimension, ...at(4) },
      { type: "minecraft:allay", name: "Zed has [a], name", dimension, ...at(5) },
      { type: "minecraft:cow", name: "Cow", dimension, ...at(50) },
      { type: "minecraft:cow", name: "Cow", dimension: "minecraft:the_nether", ...at(1) },
    );
    const outcome = await bridge.call("get_world_info", { x: 0, y: 64, z: 0, radius: 10 });
    expect(outcome).toMatchObject({
      data: {
        blocks: [],
        notes: [expect.stringContaining("Blocks cannot be read"), expect.anything()],
      },
    });
    const { entities } = (outcome as { data: { entities: { type: string; name?: string }[] } })
      .data;
    expect(entities.map(({ type, name }) => [type, name])).toEqual([
      ["minecraft:player", "Steve"],
      ["minecraft:cow", undefined],
      ["minecraft:cow", "Pig"],
      ["minecraft:iron_golem", undefined],
      ["unknown", "Zed has [a], name"],
    ]);
  });

  it("use the game's own commands on Paper, even where plugins override them", async () => {
    const { server, bridge } = await startScene({ layout: "paper" });
    server.world.version = versions.old;
    server.world.addPlayer("Steve");
    expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: ["Steve"] });
    expect(await bridge.call("get_server_info")).toMatchObject({ data: { tps: 19.5 } });
  });

  it("answer when the server is gone, and work again when it is back", async () => {
    const { server, bridge } = await startScene();
    const { port } = server.rcon;
    await server.rcon.close();
    await expect
      .poll(async () => bridge.call("get_online_players"))
      .toMatchObject({
        ok: false,
        code: "CONNECTION_ERROR",
        message: expect.stringContaining("enable-rcon"),
      });
    await server.rcon.listen(port);
    await expect.poll(async () => bridge.call("get_online_players")).toMatchObject({ ok: true });
  });

  it("say which file to change when RCON is off", async () => {
    const { bridge, lines } = await startScene({
      prepare: (server) => server.writeProperties({ "enable-rcon": "false" }),
    });
    expect(bridge.hellos[0]).toMatchObject({ capabilities: { tools: [] } });
    expect(await bridge.call("get_online_players")).toMatchObject({
      ok: false,
      message: expect.stringContaining("server.properties"),
    });
    expect(lines.join("\n")).toContain("enable-rcon=true");
  });
});

describe("the configuration", () => {
  it("is applied while the agent runs, and a bad one changes nothing", async () => {
    const { server, bridge, lines } = await startScene();
    const path = join(server.folder, "minecraft-mcp-bridge.toml");
    expect(await bridge.call("execute_command", { command: "big 5" })).toMatchObject({ ok: false });
    writeFileSync(path, `[commands]\nallowed_patterns = ['^big \\d+$']\n`);
    await expect
      .poll(() => bridge.call("execute_command", { command: "big 5" }))
      .toMatchObject({ ok: true, data: { message: "ééééé" } });
    writeFileSync(path, `[commands]\nallowed_patterns = ['(']\n`);
    await expect.poll(() => lines.join("\n")).toContain("is not used");
    expect(await bridge.call("execute_command", { command: "big 5" })).toMatchObject({ ok: true });
    rmSync(path);
  });

  it("switches tools and events off", async () => {
    const { server, bridge } = await startScene({
      prepare: ({ folder }) =>
        writeFileSync(
          join(folder, "minecraft-mcp-bridge.toml"),
          `[commands]\ntools = ["get_online_players"]\n[events]\nenabled = ["player_quit"]\n`,
        ),
    });
    expect(bridge.hellos[0]).toMatchObject({
      capabilities: { tools: ["get_online_players"], events: ["player_quit"] },
    });
    expect(await bridge.call("send_message", { message: "hi" })).toMatchObject({
      ok: false,
      code: "PERMISSION_DENIED",
    });
    server.join("Steve");
    server.log.chat("Steve", "hi");
    server.quit("Steve");
    await bridge.until(() => bridge.events.length > 0);
    expect(bridge.events.map(({ payload }) => payload.eventType)).toEqual(["player_quit"]);
  });
});
