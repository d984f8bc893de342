// @ts-check
// A real Minecraft server in Node, with the plugin inside. Its settings come as JSON in the first argument;
// its events are printed to stdout, one per line.
import { createRequire } from "node:module";
import { startPlugin } from "./plugin.mjs";

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

startPlugin({
  WebSocket: require("ws"),
  game,
  kit: {
    vector: (x, y, z) => new Vec3(x, y, z),
    item(name, quantity) {
      const kind = game.registry.itemsByName[name];
      if (kind === undefined) return undefined;
      const Item = require("prismarine-item")(game.registry);
      return new Item(kind.id, quantity);
    },
  },
  url,
  token,
  name,
  events,
  patterns,
  log,
});

game._server.once("listening", () => log("listening"));

process.on("SIGTERM", () => process.exit(0));
