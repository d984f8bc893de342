// The correctness properties of the Minecraft design for the Java core of the server mods: the same contract
// that the server agent runs, played by a process with a scripted game.
import { rmSync } from "node:fs";
import { encodeRequest, eventTypes, toolNames } from "@ccbridge/protocol/minecraft";
import {
  batchContract,
  componentContract,
  FakeBridge,
  type Game,
  type Mod,
  modContract,
  runs,
} from "@ccbridge/server-contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { token } from "./helpers.js";
import {
  compileCore,
  type JavaServer,
  missingJava,
  spawnServer,
  writeSettings,
} from "./java-process.js";

const overworld = "minecraft:overworld";
const patterns = "allowed_patterns = ['^say .+$', '^give \\w+ \\w+ \\d+$']";
const debug = '[logging]\nlevel = "DEBUG"\n';

interface State {
  ran: string[];
  messages: string[];
  player: {
    location: { world: string; x: number; y: number; z: number };
    inventory: { quantity: number }[];
  };
}

function gameOf({ play }: JavaServer): Game {
  const state = async () => (await play({ do: "state", player: "Host" })) as State;
  let guest: string | undefined;
  return {
    events: eventTypes,
    worlds: [overworld, "minecraft:the_nether", "minecraft:the_end"],
    readsBlocks: true,
    commands: async () => (await state()).ran,
    async happen(type, text) {
      const location = { world: "minecraft:the_nether", x: text.length, y: 64, z: -7.5 };
      const player = "Host";
      switch (type) {
        case "player_join":
        case "player_quit":
          guest ??= (await play({ do: "uuid", player: "Guest" })) as string;
          await play({ do: type === "player_join" ? "join" : "quit", player: "Guest" });
          return { player: "Guest", uuid: guest };
        case "player_chat":
          await play({ do: "chat", player, message: text });
          return { player, message: text };
        case "player_death":
          await play({ do: "death", player, killer: "Zombie", location });
          return { player, cause: "Host fell from a high place", killer: "Zombie", location };
        default:
          await play({ do: "break", player, location });
          return { player, blockType: "minecraft:stone", location };
      }
    },
    online: async (names) => void (await play({ do: "players", names })),
    async setPlayer(player, { position, world, ...facts }) {
      await play({ do: "players", names: [] });
      const location = { world, ...position };
      return (await play({ do: "player", player, location, ...facts })) as string;
    },
    async host() {
      const { messages, player } = await state();
      const quantity = player.inventory.at(-1)?.quantity ?? 0;
      return { message: messages.at(-1), location: player.location, quantity };
    },
    async setServer({ time, weather, tickMs }) {
      const tps = 1_000 / tickMs;
      await play({ do: "server", time, weather, tps });
      return { version: "1.21.1", weather, tps: Math.min(20, tps) };
    },
    surround: async (things) => void (await play({ do: "surround", ...things })),
  };
}

let core: ReturnType<typeof compileCore>;

async function startCore(): Promise<Mod> {
  const bridge = await FakeBridge.start();
  onTestFinished(() => bridge.close());
  const server = spawnServer(core.classes, bridge.url, `[commands]\n${patterns}\n${debug}`);
  await bridge.until(() => bridge.hellos.length > 0);
  await server.play({ do: "players", names: ["Host"] });
  const { lines, count, said } = server;
  let applied = "";
  const configure = async (toml: string) => {
    if (applied === toml) return;
    applied = toml;
    const changes = count("settings changed");
    server.configure(`${toml}\n${debug}`);
    await said("settings changed", changes + 1);
  };
  return {
    source: "minecraft",
    bridge,
    lines,
    token,
    game: gameOf(server),
    texts: bridge.texts,
    send: (text) => bridge.send(text),
    valid: (id) =>
      JSON.parse(encodeRequest({ source: "mcp", id }, { query: "get_online_players", args: {} })),
    answerTo: (id) => bridge.answerTo(id),
    async act() {
      const seen = bridge.events.length;
      await server.play({ do: "chat", player: "Host", message: "hello" });
      await bridge.until(() => bridge.events.length > seen);
    },
    logged: () => server.play({ do: "linked" }),
    malformed: () => count("is not valid"),
    warnings: () => count("another version"),
    async lose(how) {
      const hellos = bridge.hellos.length;
      const lost = count("not linked to the bridge");
      if (how === "cut") bridge.drop();
      else bridge.hangUp(how);
      await bridge.until(() => bridge.hellos.length > hellos);
      await said("not linked to the bridge", lost + 1);
      const line = lines.filter((text) => text.includes("not linked to the bridge")).at(-1) ?? "";
      return /reason="(.+)" retryMs=/.exec(line)?.[1] ?? "";
    },
    enable: (events) => configure(`[events]\nenabled = ${JSON.stringify(events)}`),
    allow: (allowed) => configure(`[commands]\nallowed_patterns = ${JSON.stringify(allowed)}`),
    async logOfStart({ name, events, isReachable }) {
      const url = isReachable ? bridge.url : "ws://127.0.0.1:9/minecraft";
      const more = `[server]\nname = "${name}"\n[events]\nenabled = ${JSON.stringify(events)}\n`;
      const settings = writeSettings(url, more);
      const until = isReachable ? "linked to the bridge url" : "not linked to the bridge reason";
      const log = await server.play({ do: "start", settings: settings.path, until });
      rmSync(settings.folder, { recursive: true });
      return log as string;
    },
  };
}

describe.skipIf(missingJava !== undefined)(
  `the Java core${missingJava === undefined ? "" : ` (skipped: ${missingJava})`}`,
  () => {
    beforeAll(() => {
      core = compileCore();
    });
    afterAll(() => core?.remove());

    for (const { name, run } of [...modContract, ...batchContract, ...componentContract]) {
      it(name, async () => run(await startCore()), 300_000);
    }

    // Feature: minecraft-mcp-bridge, Property 19: Command authorization enforcement
    it("Property 19: what the server's own owner switched off is refused, whatever the bridge lets through", async () => {
      const bridge = await FakeBridge.start();
      onTestFinished(() => bridge.close());
      const server = spawnServer(core.classes, bridge.url);
      await bridge.until(() => bridge.hellos.length > 0);
      await server.play({ do: "players", names: ["Steve"] });
      const corner = { x: 0, y: 64, z: 0 };
      const box = { from: corner, to: { x: 1, y: 64, z: 0 }, block: "stone" };
      const calls: Record<string, object> = {
        execute_command: { command: "say hi" },
        send_message: { message: "hi" },
        teleport_player: { player: "Steve", x: 1, y: 2, z: 3 },
        give_item: { player: "Steve", item: "stone", quantity: 1 },
        get_player_info: { player: "Steve" },
        get_world_info: { ...corner, radius: 1 },
        execute_commands: { commands: ["say hi"] },
        set_blocks: { blocks: [{ ...corner, block: "stone" }] },
        fill_blocks: box,
        find_blocks: box,
      };
      let applied = "";
      await fc.assert(
        fc.asyncProperty(
          fc.subarray([...toolNames]),
          fc.constantFrom(...toolNames),
          async (tools, name) => {
            const toml = `[commands]\ntools = ${JSON.stringify(tools)}\n`;
            const changes = server.count("settings changed");
            server.configure(toml);
            if (toml !== applied) await server.said("settings changed", changes + 1);
            applied = toml;
            const ran = async () => ((await server.play({ do: "state" })) as State).ran.length;
            const before = await ran();
            const outcome = await bridge.call(name, calls[name] ?? {});
            if (tools.includes(name)) expect(outcome).toMatchObject({ ok: true });
            else {
              expect(outcome).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
              expect(await ran()).toBe(before);
            }
          },
        ),
        runs,
      );
    });
  },
);
