// The plugin on a pretended game, linked to a pretended bridge, and what may happen there.
import fc from "fast-check";
import { onTestFinished } from "vitest";
import { chatText, playerName } from "../../apps/minecraft-agent/test/arbitraries.js";
import { FakeBridge, WebSocket } from "../../apps/minecraft-agent/test/fake-bridge.js";
import { eventTypes } from "../../packages/protocol/src/minecraft/index.js";
import { FakeGame, type FakePlayer } from "./fake-game.js";
import { startPlugin } from "./plugin.mjs";

export const runs = { numRuns: 100 };
export const token = "a-good-server-token";

interface Settings {
  events?: readonly string[];
  patterns?: readonly string[];
  name?: string;
}

/** The plugin on a pretended game, linked to a pretended bridge. */
export async function startScene(settings: Settings = {}, bridge?: FakeBridge) {
  const own = bridge ?? (await FakeBridge.start());
  const game = new FakeGame();
  const lines: string[] = [];
  let linked = () => {};
  const isLinked = new Promise<void>((resolve) => {
    linked = resolve;
  });
  const link = startPlugin({
    WebSocket,
    game,
    kit: game.kit,
    url: own.url,
    token,
    name: "squid",
    events: eventTypes,
    patterns: ["say .{1,200}", "break .{1,200}"],
    log(line: string) {
      lines.push(line);
      if (line.startsWith("linked as")) linked();
    },
    firstWaitMs: 1,
    maxWaitMs: 2,
    ...settings,
  });
  const stop = () => link.stop();
  onTestFinished(async () => {
    stop();
    if (bridge === undefined) await own.close();
  });
  await isLinked;
  return { game, bridge: own, lines, stop };
}

export type Scene = Awaited<ReturnType<typeof startScene>>;

let count = 0;

/** Counts, for ids that nothing had before. */
export const nextNumber = () => ++count;

export const nextUuid = () => `00000000-0000-4000-8000-${String(nextNumber()).padStart(12, "0")}`;

/** Makes something happen in the game. */
export const deeds: Record<string, (game: FakeGame, player: FakePlayer, text: string) => void> = {
  player_join: (game) => game.quit(game.join("Guest", nextUuid())),
  player_quit: (game) => game.quit(game.join("Guest", nextUuid())),
  player_chat: (_, player, message) => player.emit("chat", { message }),
  player_death: (game, player) => {
    const killer = game.join("Killer", nextUuid());
    killer.emit("attack", { attackedEntity: player });
    player.updateHealth(0);
    player.updateHealth(20);
    game.quit(killer);
  },
  block_break: (_, player) =>
    player.emit("dug", { position: { x: 1, y: 2, z: 3 }, block: { name: "stone" } }),
};
export const deed = fc.constantFrom(...eventTypes);

/** Asks, and gives the lines that were logged for it. */
export async function ask({ bridge, lines }: Scene, name: string, args: object) {
  const before = lines.length;
  const outcome = await bridge.call(name, args);
  return { outcome, log: lines.slice(before).join("\n") };
}

/** Calls that no game can serve. Somebody called `:host:` is online, whom no generated name is. */
export const failing = fc.oneof(
  playerName.map((player) => ["give_item", { player, item: "stone", quantity: 1 }] as const),
  playerName.map((player) => ["teleport_player", { player, x: 1, y: 2, z: 3 }] as const),
  playerName.map((target) => ["send_message", { message: "hi", target }] as const),
  playerName.map((player) => ["get_player_info", { player }] as const),
  fc.integer({ max: 0 }).map((n) => ["give_item", gift("stone", n)] as const),
  fc.constant(["give_item", gift("nonsense", 1)] as const),
  fc.constant(["get_world_info", { x: 0, y: 0, z: 0, radius: 99 }] as const),
  fc.constant(["teleport_player", { player: ":host:", x: "far" }] as const),
  chatText.map((text) => ["execute_command", { command: `break ${text}` }] as const),
  fc.constantFrom("dance", "toString", "__proto__").map((name) => [name, {}] as const),
);

function gift(item: string, quantity: number) {
  return { player: ":host:", item, quantity };
}
