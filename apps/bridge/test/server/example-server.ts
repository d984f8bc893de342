import { eventTypes, toolNames } from "@ccbridge/protocol/minecraft";
import type { ServerBridge } from "./helpers.js";

const overworld = "minecraft:overworld";

const answers: Record<string, unknown> = {
  execute_command: { success: true, message: "Set the time to 1000" },
  execute_commands: {
    ran: 2,
    results: [
      { success: true, message: "Set the time to 1000" },
      { success: true, message: "Set the weather to clear" },
    ],
  },
  set_blocks: {
    changed: 1,
    unchanged: 0,
    failed: 0,
    before: { world: overworld, palette: ["minecraft:air"], runs: [4, 64, 4, 1, 0], exact: true },
  },
  fill_blocks: {
    changed: 6,
    unchanged: 3,
    failed: 0,
    dryRun: true,
    before: {
      world: overworld,
      palette: ["minecraft:air", "minecraft:grass_block"],
      runs: [0, 64, 0, 3, 0, 0, 64, 1, 3, 1],
      exact: true,
    },
  },
  find_blocks: { world: overworld, found: 1, places: [{ x: 7, y: 12, z: -3 }], unloaded: 0 },
  get_online_players: ["Steve", "Alex"],
  get_player_info: {
    name: "Steve",
    uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5",
    health: 18,
    foodLevel: 15,
    location: { world: overworld, x: 10.5, y: 64, z: -3.25 },
    gameMode: "survival",
    inventory: [{ type: "minecraft:bread", quantity: 3 }],
  },
  get_server_info: {
    version: "1.21.11",
    onlinePlayers: 2,
    maxPlayers: 20,
    timeOfDay: 6_000,
    weather: "clear",
    tps: 20,
  },
  get_world_info: {
    blocks: [],
    entities: [{ type: "minecraft:cow", location: { world: overworld, x: 2, y: 64, z: 1 } }],
    notes: ["Blocks cannot be read over RCON."],
  },
};

export async function linkExampleServer(bridge: Pick<ServerBridge, "link">): Promise<void> {
  const mod = await bridge.link({
    name: "survival",
    hello: {
      agent: { name: "ccbridge-minecraft-agent", version: "1.0.0" },
      game: { software: "vanilla", version: "1.21.11" },
      route: "RCON + log",
      capabilities: { tools: toolNames, events: eventTypes },
      acknowledge: true,
    },
    answer: (name) => ({ success: true, data: answers[name] ?? { success: true } }),
  });
  mod.event("player_join", { player: "Steve", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5" });
  mod.event("player_chat", { player: "Steve", message: "is the train still running?" });
  await mod.until(() => mod.answerTo("event-2") !== undefined);
}
