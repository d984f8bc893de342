// @ts-check
// The plugin: connects a game of flying-squid to the dialect. It does not import that package, so that it
// can be tested with a fake game.
import { isAllowed, linkServer, Refusal } from "./link.mjs";

const WORLD = "minecraft:overworld";
const MAX_RADIUS = 8;
const gameModes = ["survival", "creative", "adventure", "spectator"];

/** @param {{ x: number, y: number, z: number }} position */
const place = ({ x, y, z }) => ({ world: WORLD, x, y, z });

/** @param {any[]} numbers */
const requireNumbers = (...numbers) => {
  if (!numbers.every(Number.isFinite)) throw new Refusal("INVALID_ARGS", "not a place");
};

/**
 * @typedef {object} Kit what the game's own libraries create
 * @property {(x: number, y: number, z: number) => any} vector
 * @property {(name: string, quantity: number) => any} item undefined when there is no such item
 */

/**
 * The eight tools.
 * @param {any} game
 * @param {Kit} kit
 * @param {readonly string[]} patterns
 * @returns {Record<string, (args: any) => unknown>}
 */
function toolsOf(game, kit, patterns) {
  /** @param {unknown} wanted */
  const online = (wanted) => {
    const player = game.players.find(
      (/** @type {any} */ { username }) => username.toLowerCase() === String(wanted).toLowerCase(),
    );
    if (player === undefined) throw new Refusal("PLAYER_NOT_FOUND", `${wanted} is not online`);
    return player;
  };
  return {
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
      requireNumbers(x, y, z, radius);
      if (radius > MAX_RADIUS) throw new Refusal("INVALID_ARGS", `at most ${MAX_RADIUS} blocks`);
      const blocks = [];
      for (let dy = -radius; dy <= radius; dy++) {
        for (let dz = -radius; dz <= radius; dz++) {
          for (let dx = -radius; dx <= radius; dx++) {
            if (Math.hypot(dx, dy, dz) > radius) continue;
            const at = kit.vector(Math.floor(x) + dx, Math.floor(y) + dy, Math.floor(z) + dz);
            const block = await game.overworld.getBlock(at);
            if (block && block.name !== "air") {
              blocks.push({ type: `minecraft:${block.name}`, location: place(at) });
            }
          }
        }
      }
      const entities = Object.values(game.entities)
        .filter(
          ({ position }) => Math.hypot(position.x - x, position.y - y, position.z - z) <= radius,
        )
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
      requireNumbers(x, y, z);
      await online(player).teleport(kit.vector(x, y, z));
      return { success: true };
    },
    give_item({ player: wanted, item, quantity }) {
      const player = online(wanted);
      if (!(Number.isInteger(quantity) && quantity > 0)) {
        throw new Refusal("INVALID_ARGS", "quantity is not a number of items");
      }
      const stack = kit.item(String(item).replace("minecraft:", ""), quantity);
      if (stack === undefined) throw new Refusal("INVALID_ARGS", `there is no ${item}`);
      player.inventory.updateSlot(36, stack);
      return { success: true };
    },
    async execute_command({ command }) {
      if (!isAllowed(patterns, command)) throw new Refusal("INVALID_COMMAND", "not allowed");
      const said = await game.commands.use(command.replace(/^\//, ""));
      return { success: true, ...(typeof said === "string" ? { message: said } : {}) };
    },
  };
}

/**
 * Reports what players do.
 * @param {any} game
 * @param {(eventType: string, data: object) => void} report
 */
function watch(game, report) {
  /** The last attacker of each player. */
  const attackers = new WeakMap();
  game.on("newPlayer", (/** @type {any} */ player) => {
    // Name and id are only set after this event.
    const who = () => ({ player: player.username, uuid: player.uuid });
    player.on("connected", () => report("player_join", who()));
    player.on("disconnected", () => report("player_quit", who()));
    player.on("chat", (/** @type {any} */ { message }) =>
      report("player_chat", { player: player.username, message }),
    );
    player.on("dug", (/** @type {any} */ { position, block }) =>
      report("block_break", {
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
      report("player_death", {
        player: player.username,
        cause: `${player.username} died`,
        location: place(player.position),
        ...(attackers.has(player) ? { killer: attackers.get(player) } : {}),
      });
    };
  });
}

/**
 * Links a game to a bridge.
 * @param {Omit<Parameters<typeof linkServer>[0], "serve">
 *   & { game: any, kit: Kit, patterns: readonly string[] }} options
 */
export function startPlugin({ game, kit, patterns, ...options }) {
  const tools = toolsOf(game, kit, patterns);
  const link = linkServer({
    ...options,
    async serve(tool, args) {
      if (!Object.hasOwn(tools, tool)) {
        throw new Refusal("INVALID_COMMAND", `there is no tool ${tool}`);
      }
      return tools[tool]?.(args);
    },
  });
  watch(game, link.report);
  return link;
}
