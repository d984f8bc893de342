// @ts-check
// Boots a game server with the mod in it, links it to the built bridge, calls the eight tools as an MCP client, and stops
// the server: node mods/boot.mjs <server's folder> <command> [arguments...]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const START_MS = 10 * 60_000;
const token = "a-token-for-the-boot-test";
const [folder = "", ...command] = process.argv.slice(2);
const bridgeFolder = fileURLToPath(new URL("../apps/bridge/", import.meta.url));
const require = createRequire(join(bridgeFolder, "package.json"));

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);

/** Starts a program and prints its lines; `line` waits for one.
 * @param {string} name @param {string[]} command @param {import("node:child_process").SpawnOptions} options */
function start(name, command, options) {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  /** @type {Set<(line: string) => void>} */
  const waiting = new Set();
  createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) }).on(
    "line",
    (line) => {
      say(`${name} | ${line}`);
      for (const look of waiting) look(line);
    },
  );
  const exited = once(child, "exit");
  /** @param {string} part @returns {Promise<string>} */
  const line = (part) =>
    new Promise((found, failed) => {
      const timer = setTimeout(() => failed(new Error(`${name} never said: ${part}`)), START_MS);
      void exited.then(([code]) => failed(new Error(`${name} ended with ${code}`)));
      waiting.add((text) => {
        if (!text.includes(part)) return;
        clearTimeout(timer);
        found(text);
      });
    });
  return { child, exited, line };
}

const env = {
  ...process.env,
  MCP_PORT: "0",
  CC_LINK_PORT: "0",
  MINECRAFT_TOKENS: token,
  MINECRAFT_TOOLS:
    "get_online_players,get_player_info,get_server_info,get_world_info,send_message,teleport_player,give_item",
  MINECRAFT_COMMANDS: "^list$",
};
const bridge = start("bridge", [process.execPath, join(bridgeFolder, "dist/main.js")], { env });
const { mcpUrl, linkUrls } = JSON.parse(await bridge.line('"bridge started"'));
const { port } = new URL(linkUrls[0]);

const serverFolder = resolve(folder);
mkdirSync(join(serverFolder, "config"), { recursive: true });
writeFileSync(join(serverFolder, "eula.txt"), "eula=true\n");
writeFileSync(
  join(serverFolder, "server.properties"),
  "online-mode=false\nlevel-type=minecraft\\:flat\nspawn-protection=0\n",
);
writeFileSync(
  join(serverFolder, "config/minecraft-mcp-bridge.toml"),
  `[bridge]\nurl = "ws://127.0.0.1:${port}/minecraft"\nauth_token = "${token}"\n[commands]\nallowed_patterns = ['^list$']\n`,
);
const server = start("server", command, { cwd: serverFolder });
await server.line("linked to the bridge");

/** @param {string} path */
const sdk = (path) =>
  import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { Client } = await sdk("client/index.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const client = new Client({ name: "boot", version: "0" });
await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl)));

const gone = { player: "Nobody" };
/** @type {[string, object, RegExp][]} */
const calls = [
  ["get_online_players", {}, /^(0|No)/],
  ["get_server_info", {}, /Minecraft \S+/],
  ["get_world_info", { x: 0, y: -60, z: 0, radius: 2 }, /blocks|entities/],
  ["send_message", { message: "hello" }, /Sent/],
  ["execute_command", { command: "list" }, /players online/],
  ["get_player_info", gone, /PLAYER_NOT_FOUND/],
  ["teleport_player", { ...gone, x: 0, y: 0, z: 0 }, /PLAYER_NOT_FOUND/],
  ["give_item", { ...gone, item: "minecraft:stone", quantity: 1 }, /PLAYER_NOT_FOUND/],
  ["execute_command", { command: "stop" }, /INVALID_COMMAND/],
];
let failures = 0;
for (const [name, args, expected] of calls) {
  const { content } = await client.callTool({ name, arguments: args });
  const text = content[0]?.text ?? "";
  const good = expected.test(text);
  if (!good) failures += 1;
  say(`${good ? "good" : "BAD "} ${name}: ${text.slice(0, 300)}`);
}
await client.close();

server.child.stdin?.write("stop\n");
const [code] = await server.exited;
say(`the server ended with ${code}`);
bridge.child.kill("SIGTERM");
await bridge.exited;
process.exit(failures === 0 && code === 0 ? 0 : 1);
