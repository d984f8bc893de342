import { type ItemStack, type PlayerInfo, ServerErrorCode } from "@ccbridge/protocol/minecraft";
import { RequestError } from "../errors.js";
import type { Snbt } from "../snbt/parse.js";
import { notOnline } from "./act.js";
import { entityData } from "./answers.js";
import type { Game } from "./game.js";

const gameModes = ["survival", "creative", "adventure", "spectator"];
const MAX_TEXT_DEPTH = 8;

/** Queried path by path: the whole data would be 60 kB. */
export async function getPlayerInfo(game: Game, player: string): Promise<PlayerInfo> {
  const health = await readPath(game, player, "Health");
  const name = health.name;
  const read = async (path: string) => (await readPath(game, name, path)).data;
  const [x, y, z] = numbers(await read("Pos"));
  const world = await read("Dimension");
  const items = list(await read("Inventory"));
  const equipment = record(await read("equipment"));
  const mode = await read("playerGameType");
  const inventory = [...items, ...Object.values(equipment)].flatMap(toItem);
  const notes = game.lossNote(inventory.map(({ displayName = "" }) => displayName));
  const hasPlace = x !== undefined && y !== undefined && z !== undefined;
  return {
    name,
    uuid: uuidOf(await read("UUID")),
    health: number(health.data),
    foodLevel: number(await read("foodLevel")),
    location: hasPlace && typeof world === "string" ? { world, x, y, z } : null,
    gameMode: typeof mode === "number" ? (gameModes[mode] ?? null) : null,
    inventory,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

async function readPath(
  game: Game,
  player: string,
  path: string,
): Promise<{ name: string; data: Snbt | undefined }> {
  try {
    const answer = await game.ask(`data get entity ${player} ${path}`);
    const [found] = entityData(answer);
    return { name: found?.name ?? player, data: found?.data };
  } catch (error) {
    if (error instanceof RequestError && error.code === ServerErrorCode.playerNotFound) {
      throw notOnline(player);
    }
    throw error;
  }
}

function number(value: Snbt | undefined): number | null {
  return typeof value === "number" ? value : null;
}

function list(value: Snbt | undefined): Snbt[] {
  return Array.isArray(value) ? value : [];
}

function numbers(value: Snbt | undefined): number[] {
  return list(value).filter((item): item is number => typeof item === "number");
}

function record(value: Snbt | undefined): { [key: string]: Snbt } {
  return typeof value === "object" && !Array.isArray(value) ? value : {};
}

function uuidOf(value: Snbt | undefined): string | null {
  const parts = numbers(value);
  if (parts.length !== 4) return null;
  const hex = parts.map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The format changed in 1.20.5. */
function toItem(value: Snbt): ItemStack[] {
  const item = record(value);
  const { id, count, Count } = item;
  if (typeof id !== "string") return [];
  const quantity = number(count) ?? number(Count) ?? 1;
  const name =
    record(item.components)["minecraft:custom_name"] ?? record(record(item.tag).display).Name;
  const displayName = name === undefined ? "" : plainText(name, 0);
  return [{ type: id, quantity, ...(displayName === "" ? {} : { displayName }) }];
}

function plainText(value: unknown, depth: number): string {
  if (depth > MAX_TEXT_DEPTH) return "";
  if (typeof value === "string") {
    if (depth > 0 || !/^\s*["[{]/.test(value)) return value;
    try {
      return plainText(JSON.parse(value), depth + 1);
    } catch {
      return value;
    }
  }
  if (Array.isArray(value)) return value.map((part) => plainText(part, depth + 1)).join("");
  if (typeof value !== "object" || value === null) return "";
  const { text, extra } = value as { text?: unknown; extra?: unknown };
  return plainText(text ?? "", depth + 1) + plainText(extra ?? "", depth + 1);
}
