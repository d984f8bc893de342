// What can be had from a server without a mod, where one of the ways to it is missing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakeBridge } from "@ccbridge/server-contract";
import { expect, it, onTestFinished } from "vitest";
import { fill, texts } from "../../../vitest.texts.js";
import { checkEverything } from "../src/check.js";
import { Outbox } from "../src/events/outbox.js";
import { FakeServer } from "./fake-server/index.js";
import { createAgent, startScene } from "./harness.js";

const corner = { x: 0, y: 64, z: 0 };

it("finds blocks by trying each position", async () => {
  const { server, bridge } = await startScene();
  server.world.blocks.set("minecraft:overworld 1 64 0", "diamond_ore");
  server.world.blocks.set("minecraft:overworld 2 65 1", "minecraft:diamond_ore");
  const box = { from: corner, to: { x: 2, y: 65, z: 1 } };
  expect(await bridge.call("find_blocks", { ...box, block: "diamond_ore" })).toEqual({
    ok: true,
    data: {
      world: "minecraft:overworld",
      found: 2,
      places: [
        { x: 1, y: 64, z: 0 },
        { x: 2, y: 65, z: 1 },
      ],
    },
  });
  const deep = { from: { ...corner, y: -66 }, to: { ...corner, y: -64 }, block: "stone" };
  expect(await bridge.call("find_blocks", deep)).toMatchObject({ data: { found: 0, unloaded: 2 } });
  const large = { from: corner, to: { x: 16, y: 80, z: 16 }, block: "stone" };
  const before = server.world.commands.length;
  expect(await bridge.call("find_blocks", large)).toMatchObject({
    code: "INVALID_ARGS",
    message: expect.stringContaining("at most 4096"),
  });
  expect(server.world.commands.length).toBe(before);
});

it("guesses what was there before a change, and says what it could not guess", async () => {
  const { server, bridge } = await startScene();
  server.world.blocks.set("minecraft:overworld 1 64 0", "stone");
  server.world.blocks.set("minecraft:overworld 2 64 0", "dragon_egg");
  const fill = { from: corner, to: { x: 3, y: 64, z: 0 }, block: "glass" };
  const dry = await bridge.call("fill_blocks", { ...fill, dryRun: true });
  expect(dry).toMatchObject({ data: { changed: 4, unchanged: 0, dryRun: true } });
  expect(server.world.blocks.get("minecraft:overworld 0 64 0")).toBeUndefined();
  expect(await bridge.call("fill_blocks", fill)).toEqual({
    ok: true,
    data: {
      changed: 4,
      before: {
        world: "minecraft:overworld",
        palette: ["minecraft:air", "minecraft:stone"],
        runs: [0, 64, 0, 1, 0, 1, 64, 0, 1, 1, 3, 64, 0, 1, 0],
        exact: false,
      },
      notes: [expect.stringMatching(new RegExp(texts.ofTheChangedBlocksWere))],
    },
  });
  const set = { blocks: [{ ...corner, block: "torch" }] };
  expect(await bridge.call("set_blocks", set)).toMatchObject({
    data: { changed: 1, before: { palette: ["minecraft:glass"] } },
  });
  const wide = { from: corner, to: { x: 30, y: 64, z: 30 }, block: "glass" };
  expect(await bridge.call("fill_blocks", wide)).toMatchObject({
    data: { notes: [expect.stringContaining("at most 512 blocks are tried")] },
  });
  expect(await bridge.call("fill_blocks", { ...wide, dryRun: true })).toMatchObject({
    code: "INVALID_ARGS",
  });
});

it("does not forget what it changed when the server's answers end in the middle", async () => {
  const { server, bridge } = await startScene();
  server.world.blocks.set("minecraft:overworld 1 64 0", "stone");
  let left = 1;
  server.rcon.onCommand = (command) => {
    if (/run (setblock|fill)/.test(command) && left-- === 0) server.rcon.dropAll();
  };
  const blocks = [0, 1, 2].map((x) => ({ ...corner, x, block: "glass" }));
  expect(await bridge.call("set_blocks", { blocks })).toMatchObject({
    ok: true,
    data: {
      changed: 1,
      failed: 2,
      failures: [
        { x: 1, error: expect.stringContaining("may still have run") },
        { x: 2, error: expect.stringMatching(/^Not set: RCON failed/) },
      ],
      before: {
        palette: ["minecraft:air", "minecraft:stone"],
        runs: [0, 64, 0, 1, 0, 1, 64, 0, 1, 1],
      },
    },
  });
  left = 0;
  await expect
    .poll(() => bridge.call("find_blocks", { from: corner, to: corner, block: "glass" }))
    .toMatchObject({ ok: true });
  const fill = { from: corner, to: { x: 1, y: 64, z: 0 }, block: "torch" };
  expect(await bridge.call("fill_blocks", fill)).toMatchObject({
    ok: true,
    data: { changed: 0, failed: 2, before: { palette: ["minecraft:glass"] } },
  });
});

it("has the version from a log that was written before it started, without a ping", async () => {
  const { bridge } = await startScene({ prepare: ({ game }) => void game.close() });
  expect(bridge.hellos[0]).toMatchObject({ game: { version: "1.21.11" } });
  expect(await bridge.call("get_server_info")).toMatchObject({ data: { version: "1.21.11" } });
});

it("shows what the ping does while RCON is down", async () => {
  const { server, bridge } = await startScene({
    prepare: ({ world }) => void world.addPlayer("Steve"),
    times: { retryFirstMs: 60_000, rconTimeoutMs: 1_000, logPollMs: 5 },
  });
  await server.rcon.close();
  expect(await bridge.call("get_server_info")).toMatchObject({
    data: {
      version: server.world.version.name,
      onlinePlayers: 1,
      maxPlayers: 20,
      timeOfDay: null,
      tps: null,
      notes: [expect.stringContaining("RCON does not answer")],
    },
  });
});

it("looks for a server at its server-ip", async () => {
  const server = await FakeServer.start();
  onTestFinished(() => server.stop());
  const printed: string[] = [];
  const check = async (ip: string) => {
    server.writeProperties({ "server-ip": ip });
    printed.length = 0;
    const path = join(server.folder, "minecraft-mcp-bridge.toml");
    const overrides = { url: "ws://127.0.0.1:9", token: "t" };
    await checkEverything({
      folder: server.folder,
      path,
      overrides,
      print: (text) => printed.push(text),
    });
    return printed.join("\n");
  };
  expect(await check("127.0.0.9")).toContain(fill(texts.rconDoesNotWork, server.rcon.port));
  expect(await check("0.0.0.0")).toContain(`RCON: works, at 127.0.0.1:${server.rcon.port}`);
});

it("keeps as many events as queue_size says, also when it changes", async () => {
  const server = await FakeServer.start();
  const bridge = await FakeBridge.start();
  onTestFinished(async () => {
    await server.stop();
  });
  const path = join(server.folder, "minecraft-mcp-bridge.toml");
  writeFileSync(path, "[events]\nqueue_size = 3\n");
  const { agent } = createAgent(server, bridge);
  await agent.start();
  await bridge.until(() => bridge.hellos.length > 0);
  await bridge.close();
  for (let n = 0; n < 10; n++) server.log.chat("Steve", `line ${n}`);
  await expect.poll(() => agent.lost).toBe(7);
  await agent.stop();
  const outbox = new Outbox({ maxEvents: 5, maxBytes: 1_000_000 });
  const data = { player: "Steve", message: "hi" };
  for (let n = 0; n < 5; n++) outbox.push({ eventType: "player_chat", timestamp: 1, data });
  outbox.maxEvents = 2;
  outbox.push({ eventType: "player_chat", timestamp: 1, data });
  expect(outbox.size).toBe(2);
});
