// The correctness properties of the Minecraft design for the server agent; docs/testing.md has a table of all.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EventType, encodeRequest, eventTypes, toolNames } from "@ccbridge/protocol/minecraft";
import {
  batchContract,
  componentContract,
  type Game,
  type Mod,
  modContract,
  runs,
} from "@ccbridge/server-contract";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { FakeServer } from "./fake-server/index.js";
import type { FakePlayer } from "./fake-server/world.js";
import { createAgent, startScene, token } from "./harness.js";

const gameModes = ["survival", "creative", "adventure", "spectator"];

function happen(server: FakeServer, host: FakePlayer, type: EventType, text: string) {
  const { world, log } = server;
  const guest = () => ({ player: "Guest", uuid: world.player("Guest")?.uuid });
  switch (type) {
    case "player_join":
      if (world.player("Guest") !== undefined) server.quit("Guest");
      server.join("Guest");
      return guest();
    case "player_quit": {
      if (world.player("Guest") === undefined) server.join("Guest");
      const left = guest();
      server.quit("Guest");
      return left;
    }
    case "player_chat":
      log.chat("Host", text);
      return { player: "Host", message: text };
    default: {
      const [x, y, z] = [text.length, 64, -7];
      host.lastDeath = { pos: [x, y, z], dimension: "minecraft:the_nether" };
      const cause = "Host was slain by Zombie";
      log.say(cause);
      const location = { world: host.lastDeath.dimension, x, y, z };
      return { player: "Host", cause, killer: "Zombie", location };
    }
  }
}

function gameOf(server: FakeServer, host: FakePlayer): Game {
  const { world } = server;
  return {
    events: eventTypes.filter((type) => type !== "block_break"),
    worlds: ["minecraft:overworld", "minecraft:the_nether", "minecraft:the_end"],
    readsBlocks: false,
    commands: () => world.commands,
    happen: (type, text) => happen(server, host, type, text),
    online(names) {
      world.players.length = 0;
      for (const name of names) world.addPlayer(name);
    },
    setPlayer(name, { health, foodLevel, position: { x, y, z }, world: dimension, ...state }) {
      world.players.length = 0;
      const inventory = state.inventory.map(({ type, quantity }, slot) =>
        slot % 2 === 0
          ? `{Slot: ${slot}b, id: "${type}", Count: ${quantity}b}`
          : `{count: ${quantity}, Slot: ${slot}b, id: "${type}"}`,
      );
      const gameType = gameModes.indexOf(state.gameMode);
      const position: [number, number, number] = [x, y, z];
      const more = { health, foodLevel, position, dimension, gameType, inventory };
      return world.addPlayer(name, more).uuid;
    },
    host() {
      const [x, y, z] = host.position;
      const quantity = Number(/count: (\d+)/.exec(host.inventory.at(-1) ?? "")?.[1]);
      return {
        message: host.messages.at(-1),
        location: { world: host.dimension, x, y, z },
        quantity,
      };
    },
    setServer({ time, weather, tickMs }) {
      Object.assign(world, { dayTime: time, weather, averageTickMs: tickMs });
      return { version: world.version.name, weather, tps: Math.min(20, 1_000 / tickMs) };
    },
    surround({ entities }) {
      world.entities.length = 0;
      for (const { type, location } of entities) {
        const { world: dimension, x, y, z } = location;
        const name = type
          .slice(10)
          .replace(/(^|_)(.)/g, (_, gap, c) => (gap && " ") + c.toUpperCase());
        world.entities.push({ type, name, position: [x, y, z], dimension });
      }
    },
  };
}

async function startAgent(): Promise<Mod> {
  let host: FakePlayer | undefined;
  const { server, bridge, agent, lines } = await startScene({
    prepare: ({ world }) => {
      host = world.addPlayer("Host");
    },
  });
  const configure = (text: string) =>
    writeFileSync(join(server.folder, "minecraft-mcp-bridge.toml"), text);
  const count = (text: string) => lines.filter((line) => line.includes(text)).length;
  return {
    source: "minecraft",
    bridge,
    lines,
    token,
    game: gameOf(server, host as FakePlayer),
    texts: bridge.texts,
    send: (text) => bridge.send(text),
    valid: (id) =>
      JSON.parse(encodeRequest({ source: "mcp", id }, { query: "get_online_players", args: {} })),
    answerTo: (id) => bridge.answerTo(id),
    async act() {
      const seen = bridge.events.length;
      server.log.chat("Host", "hello");
      await bridge.until(() => bridge.events.length > seen);
    },
    malformed: () => count("is not valid"),
    warnings: () => count("another version"),
    async lose(how) {
      const { length } = lines;
      const hellos = bridge.hellos.length;
      if (how === "cut") bridge.drop();
      else bridge.hangUp(how);
      await bridge.until(() => bridge.hellos.length > hellos);
      const reason = /not linked to the bridge reason=(.+) retryMs=/;
      return reason.exec(lines.slice(length).join("\n"))?.[1] ?? "";
    },
    async enable(events) {
      configure(`[events]\nenabled = ${JSON.stringify(events)}\n`);
      await agent.reload();
    },
    async allow(patterns) {
      configure(`[commands]\nallowed_patterns = ${JSON.stringify(patterns)}\n`);
      await agent.reload();
    },
    async logOfStart({ name, events, isReachable }) {
      configure(
        `[server]\nname = ${JSON.stringify(name)}\n[events]\nenabled = ${JSON.stringify(events)}\n`,
      );
      const nowhere = { overrides: { url: "ws://127.0.0.1:9/minecraft", token } };
      const other = createAgent(server, bridge, isReachable ? {} : nowhere);
      await other.agent.start();
      await vi.waitFor(() => expect(other.lines.join("\n")).toContain(" linked to the bridge"));
      await other.agent.stop();
      const log = other.lines.join("\n");
      expect(log).toContain("RCON connected");
      return log;
    },
  };
}

describe("the server agent", () => {
  for (const { name, run } of [...modContract, ...batchContract, ...componentContract]) {
    it(name, async () => run(await startAgent()));
  }
});

// Feature: minecraft-mcp-bridge, Property 19: Command authorization enforcement
it("Property 19: what the server's own owner switched off is refused, whatever the bridge lets through", async () => {
  const { server, bridge, agent } = await startScene();
  server.world.addPlayer("Steve");
  const path = join(server.folder, "minecraft-mcp-bridge.toml");
  const calls = {
    execute_command: { command: "say hi" },
    send_message: { message: "hi" },
    teleport_player: { player: "Steve", x: 1, y: 2, z: 3 },
    give_item: { player: "Steve", item: "stone", quantity: 1 },
    get_online_players: {},
    get_player_info: { player: "Steve" },
    get_server_info: {},
    get_world_info: { x: 0, y: 0, z: 0, radius: 1 },
    execute_commands: { commands: ["say hi"] },
    set_blocks: { blocks: [{ x: 0, y: 64, z: 0, block: "stone" }] },
    fill_blocks: { from: { x: 0, y: 64, z: 0 }, to: { x: 1, y: 64, z: 0 }, block: "stone" },
    find_blocks: { from: { x: 0, y: 64, z: 0 }, to: { x: 1, y: 64, z: 0 }, block: "stone" },
  };
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...toolNames]),
      fc.constantFrom(...toolNames),
      async (tools, name) => {
        writeFileSync(path, `[commands]\ntools = ${JSON.stringify(tools)}\n`);
        await agent.reload();
        const before = server.world.commands.length;
        const outcome = await bridge.call(name, calls[name]);
        if (tools.includes(name)) expect(outcome).toMatchObject({ ok: true });
        else {
          expect(outcome).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
          expect(server.world.commands.length).toBe(before);
        }
      },
    ),
    runs,
  );
});
