// @ts-check
// A real Minecraft server in Node, with the plugin inside. Its settings come as JSON in the first argument;
// what it does is told on stdout, a line each.
import { createRequire } from "node:module";
import { isAllowed, linkServer, Refusal } from "./link.mjs";

const require = createRequire(import.meta.url);
const { createMCServer } = require("flying-squid");
const { Vec3 } = require("vec3");

const settings = JSON.parse(process.argv[2] ?? "{}");
const { port, url, token, name = "squid", patterns = [] } = settings;
const events = settings.events ?? [
  "player_join",
  "player_quit",
  "player_chat",
  "player_death",
  "block_break",
];

const WORLD = "minecraft:overworld";
const MAX_RADIUS = 8;

/** @param {string} line */
const log = (line) => process.stdout.write(`${line.replace(/\s+/g, " ")}\n`);

// It throws asynchronously when a client leaves at the wrong moment.
process.on("uncaughtException", (error) => log(`uncaught: ${error.message}`));
process.on("unhandledRejection", (error) => log(`unhandled: ${error}`));

const game = createMCServer({
  version: "1.16.5",
  port,
  host: "127.0.0.1",
  "online-mode": false,
  "max-players": 20,
  logging: false,
  gameMode: 1,
  difficulty: 1,
  generation: { name: "superflat", options: { worldHeight: 80, version: "1.16.5" } },
  kickTimeout: 60_000,
  plugins: {},
  modpe: false,
  "view-distance": 2,
  "player-list-text": { header: "", footer: "" },
  "everybody-op": true,
  "max-entities": 50,
  motd: "a test",
});

/** @param {{ x: number, y: number, z: number }} position */
const place = ({ x, y, z }) => ({ world: WORLD, x, y, z });

/** @param {unknown} wanted */
const online = (wanted) => {
  const player = game.players.find(
    (/** @type {any} */ { username }) => username.toLowerCase() === String(wanted).toLowerCase(),
  );
  if (player === undefined) throw new Refusal("PLAYER_NOT_FOUND", `${wanted} is not online`);
  return player;
};

const gameModes = ["survival", "creative", "adventure", "spectator"];

/** @type {Record<string, (args: any) => unknown>} */
const tools = {
  get_online_players: () => game.players.map((/** @type {any} */ player) => player.username),
  get_player_info({ player: wanted }) {
    const player = online(wanted);
    return {
      name: player.username,
      uuid: player.uuid,
      health: player.health,
      foodLevel: player.food,
      location: place(player.position),
      gameMode: gameModes[player.gameMode] ?? null,
      inventory: player.inventory.slots.filter(Boolean).map((/** @type {any} */ item) => ({
        type: `minecraft:${item.name}`,
        quantity: item.count,
      })),
    };
  },
  get_server_info: () => ({
    version: "1.16.5",
    onlinePlayers: game.players.length,
    maxPlayers: 20,
    timeOfDay: Number(game.time) % 24_000,
    // This server has no weather and does not measure its speed.
    weather: null,
    tps: null,
  }),
  async get_world_info({ x, y, z, radius }) {
    if (radius > MAX_RADIUS) throw new Refusal("INVALID_ARGS", `at most ${MAX_RADIUS} blocks`);
    const [cx, cy, cz] = [x, y, z].map(Math.floor);
    const blocks = [];
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dz = -radius; dz <= radius; dz++) {
        for (let dx = -radius; dx <= radius; dx++) {
          if (Math.hypot(dx, dy, dz) > radius) continue;
          const at = new Vec3(cx + dx, cy + dy, cz + dz);
          const block = await game.overworld.getBlock(at);
          if (block && block.name !== "air") {
            blocks.push({ type: `minecraft:${block.name}`, location: place(at) });
          }
        }
      }
    }
    const entities = Object.values(game.entities)
      .filter((/** @type {any} */ { position }) => position.distanceTo(new Vec3(x, y, z)) <= radius)
      .map((/** @type {any} */ entity) => ({
        type: `minecraft:${entity.name ?? entity.type}`,
        location: place(entity.position),
        ...(entity.username === undefined ? {} : { name: entity.username }),
      }));
    return { blocks, entities };
  },
  send_message({ message, target = "@a" }) {
    const receivers = target === "@a" ? game.players : [online(target)];
    for (const player of receivers) player.chat(message);
    return { success: true };
  },
  async teleport_player({ player, x, y, z }) {
    await online(player).teleport(new Vec3(x, y, z));
    return { success: true };
  },
  give_item({ player: wanted, item, quantity }) {
    const player = online(wanted);
    const kind = game.registry.itemsByName[item.replace("minecraft:", "")];
    if (kind === undefined) throw new Refusal("INVALID_ARGS", `there is no ${item}`);
    const Item = require("prismarine-item")(game.registry);
    player.inventory.updateSlot(36, new Item(kind.id, quantity));
    return { success: true };
  },
  async execute_command({ command }) {
    if (!isAllowed(patterns, command)) throw new Refusal("INVALID_COMMAND", "not allowed");
    const said = await game.commands.use(command.replace(/^\//, ""));
    return { success: true, ...(typeof said === "string" ? { message: said } : {}) };
  },
};

const link = linkServer({
  url,
  token,
  name,
  events,
  log,
  async serve(tool, args) {
    const run = tools[tool];
    if (run === undefined) throw new Refusal("INVALID_COMMAND", `there is no tool ${tool}`);
    return run(args);
  },
});

/** Who hit whom last. */
const attackers = new WeakMap();

game.on("newPlayer", (/** @type {any} */ player) => {
  player.on("connected", () =>
    link.tell("player_join", { player: player.username, uuid: player.uuid }),
  );
  player.on("disconnected", () =>
    link.tell("player_quit", { player: player.username, uuid: player.uuid }),
  );
  player.on("chat", (/** @type {any} */ { message }) =>
    link.tell("player_chat", { player: player.username, message }),
  );
  player.on("dug", (/** @type {any} */ { position, block }) =>
    link.tell("block_break", {
      player: player.username,
      blockType: `minecraft:${block.name}`,
      location: place(position),
    }),
  );
  player.on("attack", (/** @type {any} */ { attackedEntity }) => {
    if (attackedEntity?.username !== undefined) attackers.set(attackedEntity, player.username);
  });
  // There is no event for a death: health that reaches zero is one.
  const update = player.updateHealth;
  player.updateHealth = (/** @type {number} */ health) => {
    const died = player.health > 0 && health <= 0;
    update(health);
    if (!died) return;
    link.tell("player_death", {
      player: player.username,
      cause: `${player.username} died`,
      location: place(player.position),
      ...(attackers.has(player) ? { killer: attackers.get(player) } : {}),
    });
  };
});

game._server.once("listening", () => log("listening"));

process.on("SIGTERM", () => process.exit(0));
