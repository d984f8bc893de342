// @ts-check
// The dialect of Minecraft servers, spoken from the server's side as a mod would: written after
// docs/minecraft.md alone, so that the bridge is tried against somebody else's words.
import { randomUUID } from "node:crypto";
import WebSocket from "ws";

const VERSION = "1.0.0";
const MAX_WAIT_MS = 30_000;
const MAX_KEPT = 1_000;

/** Why a request cannot be served. */
export class Refusal extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Whether a command fits one of the patterns as a whole.
 * @param {readonly string[]} patterns
 * @param {unknown} command
 */
export function isAllowed(patterns, command) {
  if (typeof command !== "string" || command.length > 256) return false;
  if (/[\p{Cc}\u2028\u2029]/u.test(command)) return false;
  const plain = command.replace(/^\//, "");
  return patterns.some((pattern) => new RegExp(`^(?:${pattern})$`, "u").test(plain));
}

/**
 * Links a server to a bridge, and again whenever the link is lost.
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.token
 * @param {string} options.name
 * @param {readonly string[]} options.events the events that are sent at all
 * @param {(tool: string, args: Record<string, unknown>) => Promise<unknown>} options.serve
 * @param {(line: string) => void} options.log
 * @param {number} [options.firstWaitMs] before it dials again; each next wait is twice as long
 */
export function linkServer({ url, token, name, events, serve, log, firstWaitMs = 200 }) {
  const instance = randomUUID();
  /** @type {{ id: string, seq: number, payload: object }[]} */
  let kept = [];
  let nextSeq = 0;
  let failures = 0;
  let stopped = false;
  /** @type {WebSocket | undefined} */
  let socket;
  let isReady = false;

  /** @param {string} type @param {string} id @param {object} payload */
  const send = (type, id, payload) => {
    const head = { version: VERSION, type, id, timestamp: Date.now(), source: "minecraft" };
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ...head, payload }));
  };

  /** @param {string} text */
  const receive = async (text) => {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return log("malformed: not JSON");
    }
    const { id, type, payload, version } = message ?? {};
    if (typeof id !== "string") return log("malformed: no id");
    if (typeof version !== "string" || typeof payload !== "object" || payload === null) {
      log("malformed: not a message");
      return send("error", id, { code: "SCHEMA_ERROR", message: "not a message" });
    }
    if (!version.startsWith("1.")) log(`warning: version ${version}`);
    if (id === "hello") {
      isReady = payload.success === true;
      failures = 0;
      // What the bridge has by now need not be sent again.
      kept = kept.filter(({ seq }) => seq >= (payload.data?.nextEvent ?? 0));
      for (const event of kept) send("event", event.id, event.payload);
      return;
    }
    if (type === "response" || type === "error") {
      kept = kept.filter((event) => event.id !== id);
      return;
    }
    const tool = type === "command" ? payload.command : payload.query;
    log(`forwarded ${type} ${tool} mcp -> minecraft`);
    try {
      send("response", id, { success: true, data: await serve(tool, payload.args ?? {}) });
    } catch (error) {
      const { code = "SERVER_ERROR", message: reason, stack } = /** @type {any} */ (error);
      log(`failed ${tool} ${JSON.stringify(payload.args)}: ${reason} ${stack}`);
      send("response", id, { success: false, error: { code, message: reason } });
    }
  };

  const dial = () => {
    const address = new URL(url);
    address.searchParams.set("server", name);
    const dialled = new WebSocket(address, { headers: { Authorization: `Bearer ${token}` } });
    socket = dialled;
    dialled.on("open", () => {
      const args = {
        name,
        instance,
        agent: { name: "flying-squid plugin", version: "0" },
        game: { software: "flying-squid", version: "1.16.5" },
        route: "plugin",
        acknowledge: true,
        nextEvent: kept[0]?.seq ?? nextSeq,
      };
      send("command", "hello", { command: "hello", args });
    });
    dialled.on("message", (data) => void receive(String(data)));
    dialled.on("error", (error) => log(`error: ${error.message}`));
    dialled.on("close", () => {
      isReady = false;
      if (stopped) return;
      const waitMs = Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** failures++);
      log(`not linked, again in ${waitMs} ms`);
      setTimeout(dial, waitMs);
    });
  };
  dial();

  return {
    /** @param {string} eventType @param {object} data */
    tell(eventType, data) {
      if (!events.includes(eventType)) return;
      const event = {
        id: randomUUID(),
        seq: nextSeq,
        payload: { eventType, timestamp: Date.now(), data, seq: nextSeq },
      };
      nextSeq += 1;
      kept = [...kept, event].slice(-MAX_KEPT);
      if (isReady) send("event", event.id, event.payload);
    },
    stop() {
      stopped = true;
      socket?.close();
    },
  };
}
