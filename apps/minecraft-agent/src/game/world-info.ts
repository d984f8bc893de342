import type { EntityInfo, ToolArguments, WorldInfo } from "@ccbridge/protocol/minecraft";
import { decimal, entityData, failureOf } from "./answers.js";
import type { Game } from "./game.js";

const MAX_ENTITIES = 1_000;
const MAX_TYPES = 40;

export const blocksNote =
  "Blocks cannot be read over RCON. A command computer (CC:Tweaked) or a server mod that speaks this protocol can read them.";

/** Types are queried one by one: the game shows only names. */
export async function getWorldInfo(
  game: Game,
  { x, y, z, radius, world = "minecraft:overworld" }: ToolArguments<"get_world_info">,
): Promise<WorldInfo> {
  const place = [x, y, z].map(decimal).join(" ");
  const find = async (filter: string) => {
    const selector = `@e[distance=..${decimal(radius)}${filter}]`;
    return game.own(
      `execute in ${world} positioned ${place} as ${selector} run data get entity @s Pos`,
    );
  };
  const answer = await find("");
  const failure = failureOf(answer);
  if (failure !== undefined && failure.code !== "PLAYER_NOT_FOUND") throw failure;
  const found = places(answer);
  const types = await findTypes(
    found.map(({ name }) => name),
    async (type) => places(await find(`,type=${type}`)),
  );
  const blocks = await game.blocks?.({ world, x, y, z }, radius);
  const notes = blocks === undefined ? [blocksNote] : [];
  if (found.length > MAX_ENTITIES) notes.push(`Only ${MAX_ENTITIES} of ${found.length} entities.`);
  const entities = found.slice(0, MAX_ENTITIES).map(({ name, at, key }): EntityInfo => {
    const type = types.get(key);
    const isNamed = type === undefined || idOf(name) !== type;
    const [px = 0, py = 0, pz = 0] = at;
    return {
      type: type ?? "unknown",
      location: { world, x: px, y: py, z: pz },
      ...(isNamed ? { name } : {}),
    };
  });
  if (entities.some(({ type }) => type === "unknown")) {
    notes.push("The kind of a named entity is unknown when nothing else of its kind is near.");
  }
  notes.push(...game.lossNote(entities.map(({ name = "" }) => name)));
  return { blocks: blocks ?? [], entities, ...(notes.length === 0 ? {} : { notes }) };
}

interface Place {
  name: string;
  at: number[];
  key: string;
}

function places(answer: string): Place[] {
  return entityData(answer).flatMap(({ name, data }) => {
    const at = Array.isArray(data) ? data.filter((n): n is number => typeof n === "number") : [];
    return at.length === 3 ? [{ name, at, key: `${name} ${at.join(" ")}` }] : [];
  });
}

async function findTypes(
  names: readonly string[],
  ask: (type: string) => Promise<Place[]>,
): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  if (names.length === 0) return types;
  const candidates = new Set(["minecraft:player", "minecraft:item"]);
  for (const name of names) {
    if (candidates.size >= MAX_TYPES) break;
    if (/^[A-Za-z' -]{1,40}$/.test(name)) candidates.add(idOf(name));
  }
  for (const type of candidates) {
    for (const { key } of await ask(type)) types.set(key, type);
  }
  return types;
}

/** Entities without a custom name show their type: `Iron Golem`. */
function idOf(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/'/g, "")
    .replace(/[^a-z0-9]+/g, "_");
  return `minecraft:${id}`;
}
