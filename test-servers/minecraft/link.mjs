// @ts-check
// The dialect of Minecraft servers, implemented on the server's side as in a mod: written from docs/minecraft.md
// only, so that the bridge is tested against an independent implementation.
import { randomUUID } from "node:crypto";

const VERSION = "1.0.0";
const TYPES = ["event", "command", "query", "response", "error"];
const OPEN = 1;
const MAX_WAIT_MS = 30_000;
const MAX_KEPT = 1_000;

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
 * Whether one of the patterns matches the whole command.
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
 * What is wrong with a message; undefined when nothing is.
 * @param {any} message
 */
function problemOf(message) {
  if (typeof message !== "object" || message === null) return "not a message";
  const { version, type, id, timestamp, source, payload } = message;
  if (typeof id !== "string" || id === "") return "id is missing";
  if (typeof version !== "string") return "version is not a text";
  if (!TYPES.includes(type)) return "type is unknown";
  if (!Number.isFinite(timestamp)) return "timestamp is not a number";
  if (source !== "mcp") return "source is not mcp";
  const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  return isObject ? undefined : "payload is not an object";
}

/**
 * Links a server to a bridge, and reconnects when the link is lost.
 * @param {object} options
 * @param {any} options.WebSocket the class with which to dial, such as that of ws
 * @param {string} options.url
 * @param {string} options.token
 * @param {string} options.name
 * @param {readonly string[]} options.events the events that are sent at all
 * @param {(tool: string, args: Record<string, unknown>) => Promise<unknown>} options.serve
 * @param {(line: string) => void} options.log
 * @param {number} [options.firstWaitMs] before it dials again; each next wait is twice as long
 * @param {number} [options.maxWaitMs]
 */
export function linkServer(options) {
  const { WebSocket, url, token, name, events, serve, log } = options;
  const { firstWaitMs = 200, maxWaitMs = MAX_WAIT_MS } = options;
  const instance = randomUUID();
  /** @type {{ id: string, seq: number, payload: { eventType: string } }[]} */
  let kept = [];
  let nextSeq = 0;
  let failures = 0;
  let stopped = false;
  let warned = false;
  /** @type {any} */
  let socket;
  let isReady = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {string} type @param {string} id @param {object} payload */
  const send = (type, id, payload) => {
    const head = { version: VERSION, type, id, timestamp: Date.now(), source: "minecraft" };
    if (socket?.readyState === OPEN) socket.send(JSON.stringify({ ...head, payload }));
  };

  /** @param {{ id: string, payload: { eventType: string } }} event */
  const sendEvent = ({ id, payload }) => {
    log(`forwarded event ${payload.eventType} minecraft -> mcp`);
    send("event", id, payload);
  };

  /** @param {any} payload the answer to our hello */
  const greeted = ({ success, data, error }) => {
    if (success !== true) return log(`not linked: ${JSON.stringify(error)}`);
    isReady = true;
    failures = 0;
    log(`linked as ${name}`);
    // Events that the bridge already has need not be sent again.
    kept = kept.filter(({ seq }) => seq >= (data?.nextEvent ?? 0));
    for (const event of kept) sendEvent(event);
  };

  /** @param {string} text */
  const receive = async (text) => {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return log("malformed: not JSON");
    }
    const problem = problemOf(message);
    if (problem !== undefined) {
      log(`malformed: ${problem}`);
      if (typeof message?.id !== "string") return;
      return send("error", message.id, { code: "SCHEMA_ERROR", message: problem });
    }
    const { id, type, payload, version } = message;
    if (!version.startsWith("1.") && !warned) {
      warned = true;
      log(`warning: the bridge speaks version ${version}, not ${VERSION}`);
    }
    if (id === "hello") return greeted(payload);
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
        agent: { name: "flying-squid plugin", version: VERSION },
        game: { software: "flying-squid", version: "1.16.5" },
        route: "plugin",
        acknowledge: true,
        nextEvent: kept[0]?.seq ?? nextSeq,
      };
      send("command", "hello", { command: "hello", args });
    });
    dialled.on("message", (/** @type {unknown} */ data) => void receive(String(data)));
    dialled.on("error", (/** @type {Error} */ error) => log(`error: ${error.message}`));
    dialled.on("close", (/** @type {number} */ code) => {
      isReady = false;
      if (stopped) return;
      const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** failures++);
      log(`not linked (${code}), again in ${waitMs} ms`);
      timer = setTimeout(dial, waitMs);
    });
  };
  log(`plugin ${VERSION}: server ${name}, events ${events.join(",")}, dials ${url}`);
  dial();

  return {
    /** @param {string} eventType @param {object} data */
    report(eventType, data) {
      if (!events.includes(eventType)) return;
      const event = {
        id: randomUUID(),
        seq: nextSeq,
        payload: { eventType, timestamp: Date.now(), data, seq: nextSeq },
      };
      nextSeq += 1;
      kept = [...kept, event].slice(-MAX_KEPT);
      if (isReady) sendEvent(event);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
