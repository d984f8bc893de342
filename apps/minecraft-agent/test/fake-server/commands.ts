import { answerBlocks, testBlock } from "./blocks.js";
import type { FakePlayer, FakeWorld } from "./world.js";

const unknown = (command: string) =>
  `Unknown or incomplete command, see below for error${command.slice(-10)}<--[HERE]`;
const noEntity = "No entity was found";
const noPlayer = "No player was found";

type Position = [number, number, number];

export function answerTo(world: FakeWorld, given: string): string {
  world.commands.push(given);
  const command = world.isBukkit ? given.replace(/^minecraft:/, "") : given;
  if (world.isBukkit && /^(list|give|tp)\b/.test(given)) return "§6A plugin answers §chere§6.";
  const [name = "", ...words] = command.split(" ");
  switch (name) {
    case "list":
      return list(world, words[0] === "uuids");
    case "say":
      return "";
    case "data":
      return words[0] === "get" && words[1] === "entity"
        ? dataOf(world.player(words[2] ?? ""), words[3] ?? "", world)
        : unknown(command);
    case "execute":
      return execute(world, command);
    case "tp":
      return teleport(world, words, "minecraft:overworld");
    case "give":
      return give(world, words);
    case "tellraw":
      return tellraw(world, command);
    case "time":
      if (words[1] === "daytime") return `The time is ${world.dayTime}`;
      world.gameTime += 20;
      return `The time is ${world.gameTime}`;
    case "tick":
      return world.version.tickQuery ? tickQuery(world) : unknown(command);
    case "tps":
      return world.isBukkit
        ? "§6TPS from last 1m, 5m, 15m: §a19.5, §a20.0, §a20.0"
        : unknown(command);
    case "fail":
      return "Error executing: fail (something broke)";
    case "big":
      return "é".repeat(Number(words[0]));
    default:
      return unknown(command);
  }
}

function list({ players, maxPlayers }: FakeWorld, withIds: boolean): string {
  const names = players.map(({ name, uuid }) => (withIds ? `${name} (${uuid})` : name));
  return `There are ${players.length} of a max of ${maxPlayers} players online: ${names.join(", ")}`;
}

function dataOf(player: FakePlayer | undefined, path: string, world: FakeWorld): string {
  if (player === undefined) return noEntity;
  const snbt = snbtOf(player, path, world);
  return snbt === undefined
    ? `Found no elements matching ${path}`
    : `${player.name} has the following entity data: ${snbt}`;
}

function snbtOf(player: FakePlayer, path: string, { version }: FakeWorld): string | undefined {
  switch (path) {
    case "Health":
      return `${player.health.toFixed(1)}f`;
    case "foodLevel":
      return String(player.foodLevel);
    case "Pos":
      return pos(player.position);
    case "Dimension":
      return `"${player.dimension}"`;
    case "playerGameType":
      return String(player.gameType);
    case "UUID": {
      const hex = player.uuid.replaceAll("-", "");
      const parts = [0, 8, 16, 24].map((at) => Number.parseInt(hex.slice(at, at + 8), 16) | 0);
      return `[I; ${parts.join(", ")}]`;
    }
    case "Inventory":
      return `[${player.inventory.join(", ")}]`;
    case "equipment":
      return player.equipment;
    case "LastDeathLocation": {
      const { lastDeath } = player;
      if (!version.lastDeathLocation || lastDeath === undefined) return undefined;
      return `{pos: [I; ${lastDeath.pos.join(", ")}], dimension: "${lastDeath.dimension}"}`;
    }
    default:
      return undefined;
  }
}

const pos = (position: Position) =>
  `[${position.map((n) => (Number.isInteger(n) ? n.toFixed(1) : String(n))).join("d, ")}d]`;

function execute(world: FakeWorld, command: string): string {
  const predicate = /^execute if predicate (\{.*\})$/.exec(command)?.[1];
  if (predicate !== undefined) {
    if (!world.version.inlinePredicates)
      return `Expected whitespace to end one argument${predicate}<--[HERE]`;
    const thunder = world.weather === "thunder";
    const passes = predicate.includes("thundering") ? thunder : thunder || world.weather === "rain";
    return passes ? "Test passed" : "Test failed";
  }
  const entities =
    /^execute in (\S+) positioned (\S+) (\S+) (\S+) as @e\[distance=\.\.([\d.]+)(?:,type=([\w:]+))?\] run data get entity @s Pos$/.exec(
      command,
    );
  if (entities !== null) return near(world, entities.slice(1) as (string | undefined)[]);
  const at = /^execute at (\S+) run tp (.*)$/.exec(command);
  if (at !== null) {
    const player = world.player(at[1] ?? "");
    if (player === undefined) return noEntity;
    return teleport(world, (at[2] ?? "").split(" "), player.dimension);
  }
  const test = /^execute in (\S+) if block (\S+ \S+ \S+) (\S+)$/.exec(command);
  if (test !== null) return testBlock(world, `${test[1]} ${test[2]}`, test[3] ?? "");
  const blocks = /^execute in (\S+) run ((?:setblock|fill) .*)$/.exec(command);
  if (blocks !== null) return answerBlocks(world, blocks[1] ?? "", blocks[2] ?? "");
  const inside = /^execute in (\S+) run tp (.*)$/.exec(command);
  if (inside === null) return unknown(command);
  const [, dimension = "", rest = ""] = inside;
  if (!/^minecraft:(overworld|the_nether|the_end)$/.test(dimension)) {
    return `Unknown dimension '${dimension}'`;
  }
  return teleport(world, rest.split(" "), dimension);
}

function near(
  world: FakeWorld,
  [dimension, x, y, z, radius, type]: (string | undefined)[],
): string {
  const all = [
    ...world.players.map((player) => ({ ...player, type: "minecraft:player" })),
    ...world.entities,
  ];
  const known = new Set(all.map((entity) => entity.type));
  if (type !== undefined && !known.has(type)) return `Invalid or unknown entity type '${type}'`;
  const centre = [Number(x), Number(y), Number(z)];
  return all
    .filter(
      (entity) => entity.dimension === dimension && (type === undefined || entity.type === type),
    )
    .filter(({ position }) => {
      const squares = position.map((n, axis) => (n - (centre[axis] ?? 0)) ** 2);
      return Math.sqrt(squares.reduce((a, b) => a + b, 0)) <= Number(radius);
    })
    .map(({ name, position }) => `${name} has the following entity data: ${pos(position)}`)
    .join("");
}

function teleport(world: FakeWorld, words: string[], dimension: string): string {
  const [name = "", ...place] = words;
  const player = world.player(name);
  if (player === undefined) return noEntity;
  if (place.length !== 3 || place.some((word) => !/^-?\d+(\.\d+)?$/.test(word))) {
    return `Incorrect argument for command...${place.join(" ")}<--[HERE]`;
  }
  const [x = 0, y = 0, z = 0] = place.map((word, axis) =>
    axis !== 1 && !word.includes(".") ? Number(word) + 0.5 : Number(word),
  );
  if (Math.abs(x) > 30_000_000 || Math.abs(z) > 30_000_000) return "Invalid position for teleport";
  player.position = [x, y, z];
  player.dimension = dimension;
  return `Teleported ${player.name} to ${[x, y, z].map((n) => n.toFixed(6)).join(", ")}`;
}

function give(world: FakeWorld, [name = "", item = "", count = "1"]: string[]): string {
  const player = world.player(name);
  if (player === undefined) return noPlayer;
  const id = item.includes(":") ? item : `minecraft:${item}`;
  if (id.endsWith("nonsense")) return `Unknown item '${id}'...give ${name} ${item}<--[HERE]`;
  if (Number(count) < 1) return `Integer must not be less than 1: found ${count}...<--[HERE]`;
  player.inventory.push(`{count: ${count}, Slot: ${player.inventory.length}b, id: "${id}"}`);
  return `Gave ${count} [${id}] to ${player.name}`;
}

function tellraw(world: FakeWorld, command: string): string {
  const [, target = "", json = ""] = /^tellraw (\S+) (.*)$/.exec(command) ?? [];
  const { text } = JSON.parse(json) as { text: string };
  const found = target === "@a" ? world.players : [world.player(target)];
  const receivers = found.filter((player) => player !== undefined);
  for (const player of receivers) player.messages.push(text);
  return receivers.length === 0 ? noPlayer : "";
}

function tickQuery({ averageTickMs }: FakeWorld): string {
  return (
    "The game is running normally" +
    `Target tick rate: 20.0 per second.\nAverage time per tick: ${averageTickMs}ms (Target: 50.0ms)` +
    "Percentiles: P50: 11.2ms P95: 18.0ms P99: 31.4ms. Sample: 100"
  );
}
