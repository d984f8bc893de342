// The correctness properties of the Minecraft design for the plugin of the test server, on a fake
// game; squid.long.test.ts uses a real one.
import { describe, it, onTestFinished } from "vitest";
import { encodeRequest, eventTypes } from "../../packages/protocol/src/minecraft/index.js";
import {
  componentContract,
  FakeBridge,
  type Game,
  type Mod,
  modContract,
  WebSocket,
} from "../../packages/server-contract/src/index.js";
import { FakeGame, type FakePlayer } from "./fake-game.js";
import { startPlugin } from "./plugin.mjs";

const WORLD = "minecraft:overworld";
const token = "a-good-server-token";
const gameModes = ["survival", "creative", "adventure", "spectator"];
const patterns = ["say .{1,200}"];

let count = 0;
const nextUuid = () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;

type Settings = Partial<Omit<Parameters<typeof startPlugin>[0], "game" | "kit" | "log">>;

/** Starts a game with the plugin; resolves when it is linked and Host has joined. */
async function play(bridge: FakeBridge, lines: string[], settings: Settings = {}): Promise<Stage> {
  const game = new FakeGame();
  const { resolve, promise: linked } = withResolvers();
  const plugin = startPlugin({
    WebSocket,
    game,
    kit: game.kit,
    url: bridge.url,
    token,
    name: "squid",
    events: eventTypes,
    patterns,
    log(line: string) {
      lines.push(line);
      if (line.startsWith("linked as")) resolve();
    },
    firstWaitMs: 1,
    maxWaitMs: 2,
    ...settings,
  });
  await linked;
  return { game, host: game.join("Host", nextUuid()), stop: () => plugin.stop() };
}

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Actions in the game. */
const deeds: Record<string, (game: FakeGame, host: FakePlayer, text: string) => void> = {
  player_join: (game) => game.quit(game.join("Guest", nextUuid())),
  player_quit: (game) => game.quit(game.join("Guest", nextUuid())),
  player_chat: (_, host, message) => host.emit("chat", { message }),
  player_death: (game, host) => {
    const killer = game.join("Killer", nextUuid());
    killer.emit("attack", { attackedEntity: host });
    host.updateHealth(0);
    host.updateHealth(20);
    game.quit(killer);
  },
  block_break: (_, host) =>
    host.emit("dug", { position: { x: 1, y: 2, z: 3 }, block: { name: "stone" } }),
};

interface Stage {
  game: FakeGame;
  host: FakePlayer;
  stop(): void;
}

function gameOf(stage: Stage): Game {
  const clear = () => {
    for (const player of [...stage.game.players]) stage.game.quit(player);
  };
  return {
    events: eventTypes,
    worlds: [WORLD],
    readsBlocks: true,
    patterns,
    get commands() {
      return stage.game.ran;
    },
    happen: (type, text) => deeds[type]?.(stage.game, stage.host, text),
    online(names) {
      clear();
      for (const name of names) stage.game.join(name, nextUuid());
    },
    setPlayer(name, { health, foodLevel: food, position, gameMode, inventory }) {
      clear();
      const player = stage.game.join(name, nextUuid());
      Object.assign(player, { health, food, position, gameMode: gameModes.indexOf(gameMode) });
      // With an empty slot between, as in a real inventory.
      player.inventory.slots = inventory.flatMap(({ type, quantity }) => [
        { name: type.replace("minecraft:", ""), count: quantity },
        null,
      ]);
      return player.uuid;
    },
    host: () => ({
      message: stage.host.heard.at(-1),
      location: { world: WORLD, ...stage.host.position },
      quantity: stage.host.inventory.slots[36]?.count ?? 0,
    }),
    setServer({ time }) {
      stage.game.time = time % 2 === 0 ? BigInt(time) : time;
      return { version: "1.16.5", weather: null, tps: null };
    },
    surround({ blocks, entities }) {
      stage.game.blocks.clear();
      const place = ({ x, y, z }: { x: number; y: number; z: number }) => ({ x, y, z });
      const name = (type: string) => type.replace("minecraft:", "");
      for (const { type, location } of blocks) stage.game.put(place(location), name(type));
      stage.game.entities = Object.fromEntries(
        entities.map(({ type, location }, n) => [
          n,
          { name: name(type), position: place(location) },
        ]),
      );
    },
  };
}

async function startMod(): Promise<Mod> {
  const bridge = await FakeBridge.start();
  const lines: string[] = [];
  const stage = await play(bridge, lines);
  onTestFinished(async () => {
    stage.stop();
    await bridge.close();
  });
  await bridge.until(() => bridge.events.length === 1);
  const restart = async (lines: string[], settings: Settings) => {
    stage.stop();
    await bridge.until(() => !bridge.isLinked);
    Object.assign(stage, await play(bridge, lines, settings));
  };
  const matching = (start: string) => lines.filter((line) => line.startsWith(start)).length;
  return {
    source: "minecraft",
    bridge,
    lines,
    token,
    game: gameOf(stage),
    texts: bridge.texts,
    send: (text) => bridge.send(text),
    valid: (id) =>
      JSON.parse(encodeRequest({ source: "mcp", id }, { query: "get_online_players", args: {} })),
    answerTo: (id) => bridge.answerTo(id),
    async act() {
      const seen = bridge.events.length;
      stage.host.emit("chat", { message: "hello" });
      await bridge.until(() => bridge.events.length > seen);
    },
    malformed: () => matching("malformed: "),
    warnings: () => matching("warning: "),
    async lose(how) {
      const { length } = lines;
      const hellos = bridge.hellos.length;
      if (how === "cut") bridge.drop();
      else bridge.hangUp(how);
      await bridge.until(() => bridge.hellos.length > hellos);
      return /not linked \(\d+\)/.exec(lines.slice(length).join("\n"))?.[0] ?? "";
    },
    enable: (events) => restart(lines, { events }),
    async logOfStart(settings) {
      const log: string[] = [];
      await restart(log, settings);
      return log.join("\n");
    },
  };
}

describe("the plugin", () => {
  for (const { name, run } of [...modContract, ...componentContract]) {
    it(name, async () => run(await startMod()));
  }
});
