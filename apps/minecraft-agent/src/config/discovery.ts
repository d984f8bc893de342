import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../errors.js";
import type { Software } from "../game/game.js";
import { parseProperties } from "./properties.js";

export interface Discovered {
  software: Software;
  logPath: string;
  /** Where the server listens: all its ports are on this address. */
  host: string;
  gamePort: number;
  rcon: { port: number; password: string } | undefined;
  management: { url: string; secret: string } | undefined;
  advice: string[];
}

const DEFAULT_GAME_PORT = 25_565;
const DEFAULT_RCON_PORT = 25_575;

/** Never throws: unreadable files become advice. */
export function discoverServer(folder: string): Discovered {
  const advice: string[] = [];
  let properties = new Map<string, string>();
  try {
    properties = parseProperties(readFileSync(join(folder, "server.properties"), "utf8"));
  } catch (error) {
    advice.push(
      `server.properties cannot be read (${messageOf(error)}). Start the agent with the server's folder.`,
    );
  }
  const logPath = join(folder, "logs", "latest.log");
  return {
    software: softwareOf(folder),
    logPath,
    host: hostOf(properties.get("server-ip")),
    gamePort: portOf(properties.get("server-port")) ?? DEFAULT_GAME_PORT,
    rcon: properties.size === 0 ? undefined : rconOf(properties, advice),
    management: managementOf(properties, advice),
    advice,
  };
}

function rconOf(properties: Map<string, string>, advice: string[]): Discovered["rcon"] {
  const password = properties.get("rcon.password") ?? "";
  const port = portOf(properties.get("rcon.port")) ?? DEFAULT_RCON_PORT;
  if (properties.get("enable-rcon") !== "true") {
    advice.push(
      "RCON is off, so neither commands nor queries work. In server.properties set enable-rcon=true and " +
        "a long random rcon.password, then restart the server. Keep the port closed to the network.",
    );
    return undefined;
  }
  if (password === "") {
    advice.push(
      "RCON stays off while rcon.password is empty. Set a long random one and restart the server.",
    );
    return undefined;
  }
  return { port, password };
}

function managementOf(properties: Map<string, string>, advice: string[]): Discovered["management"] {
  if (properties.get("management-server-enabled") !== "true") return undefined;
  const port = portOf(properties.get("management-server-port"));
  const secret = properties.get("management-server-secret") ?? "";
  if (port === undefined || secret === "") {
    advice.push(
      "The management protocol is on, but its port is random or its secret is empty. Set " +
        "management-server-port to a fixed port; the server makes the secret when it starts.",
    );
    return undefined;
  }
  const host = properties.get("management-server-host") || "localhost";
  const isPlain = properties.get("management-server-tls-enabled") === "false";
  return { url: `${isPlain ? "ws" : "wss"}://${host}:${port}`, secret };
}

/** Without an address, or with that of all interfaces, the server is on loopback as well. */
function hostOf(ip = ""): string {
  return ["", "0.0.0.0", "::"].includes(ip.trim()) ? "127.0.0.1" : ip.trim();
}

function portOf(text: string | undefined): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function softwareOf(folder: string): Software {
  const has = (...path: string[]) => existsSync(join(folder, ...path));
  if (has("bukkit.yml") || has("spigot.yml") || has("config", "paper-global.yml")) return "bukkit";
  if (has("libraries", "net", "neoforged")) return "neoforge";
  if (has("libraries", "net", "minecraftforge")) return "forge";
  if (has(".fabric") || has("fabric-server-launcher.properties")) return "fabric";
  return "vanilla";
}
