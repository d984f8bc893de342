import {
  type ItemStack,
  type Location,
  type PlayerInfo,
  PlayerInfoSchema,
  toolArguments,
} from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { readOnly } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { inline, quoted } from "../../format/set-apart.js";
import { askServer, noteLines, readResult, target } from "./server.js";

export const getPlayerInfo = defineTool({
  name: "get_player_info",
  title: "Look at a player",
  description:
    "Shows a player on a Minecraft server: health (20 is full), food, position, game mode and inventory, " +
    "as far as the server can tell.",
  input: z.object({
    ...target,
    player: toolArguments.get_player_info.shape.player.describe("The player's name."),
  }),
  output: z.object({ server: z.string(), player: z.record(z.string(), z.unknown()) }),
  annotations: readOnly,
  async handler(args, context) {
    const answer = await askServer(context, "get_player_info", args);
    const player = readResult(PlayerInfoSchema, answer);
    const { name, identity } = answer.server;
    return {
      text: [`${inline(player.name)} on ${name}:`, ...lines(player)].join("\n"),
      structured: () => ({ server: identity.serverName, player }),
    };
  },
});

function lines(player: PlayerInfo): string[] {
  const { uuid, health, foodLevel, gameMode, location, inventory, notes } = player;
  return [
    `health ${health ?? "unknown"}, food ${foodLevel ?? "unknown"}, game mode ${known(gameMode)}`,
    `at ${location === null ? "an unknown position" : placeText(location)}`,
    `uuid ${known(uuid)}`,
    `inventory: ${inventory === null ? "unknown" : inventoryText(inventory)}`,
    ...noteLines(notes),
  ];
}

export function known(value: string | number | null): string {
  return value === null ? "unknown" : inline(String(value));
}

export function placeText({ world, x, y, z }: Location): string {
  const round = (value: number) => Math.round(value * 100) / 100;
  return `${round(x)}, ${round(y)}, ${round(z)} in ${inline(world)}`;
}

/** A player has 41 slots. */
const MAX_THINGS = 60;

function inventoryText(inventory: readonly ItemStack[]): string {
  const counts = new Map<string, number>();
  for (const { type, quantity, displayName } of inventory) {
    const name =
      displayName === undefined ? inline(type) : `${inline(type)} ${quoted(displayName)}`;
    counts.set(name, (counts.get(name) ?? 0) + quantity);
  }
  if (counts.size === 0) return "empty";
  const things = [...counts].map(([name, count]) => `${count} ${name}`);
  const left = things.length - MAX_THINGS;
  if (left > 0) things.splice(MAX_THINGS, left, `and ${left} other things`);
  return things.join(", ");
}
