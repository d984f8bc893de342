import { WebSocket } from "ws";
import { numberArgument, stringArgument } from "../arguments.js";
import { decodeToBytes } from "../fs/handles.js";
import { LuaExpression, toLiteral } from "../vm/literal.js";
import { type HostFunctions, LuaError, Results } from "../vm/lua-vm.js";
import { dropContinuations } from "./fragments.js";
import {
  decodeHeaders,
  friendlyError,
  type NetworkHost,
  resolveHost,
  timeoutMs,
} from "./network.js";

const MAX_WEBSOCKETS = 4;
const MAX_SENDS_IN_FLIGHT = 512;
const TOO_BIG_CLOSE_CODE = 1009;

interface Socket {
  readonly id: number;
  readonly url: string;
  state: "connecting" | "open" | "closed";
  client: WebSocket | undefined;
  maxMessage: number;
  sendsInFlight: number;
  hasSent: boolean;
  probed: number;
  answered: number;
  closeReason: string | undefined;
}

function parseUrl(text: string): URL | string {
  // "host:port/path" has no scheme; the game retries with ws://.
  const complete = text.includes("://") ? text : `ws://${text}`;
  let url: URL;
  try {
    url = new URL(complete);
  } catch {
    return "URL malformed";
  }
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== "ws" && scheme !== "wss") return `Invalid scheme '${scheme}'`;
  return url;
}

export class Websockets {
  readonly #host: NetworkHost;
  readonly #sockets = new Map<number, Socket>();
  #nextId = 1;

  constructor(host: NetworkHost) {
    this.#host = host;
  }

  get open(): number {
    return [...this.#sockets.values()].filter((socket) => socket.state === "open").length;
  }

  get connecting(): number {
    return this.#sockets.size - this.open;
  }

  get unsettled(): number {
    return [...this.#sockets.values()].filter(isUnsettled).length;
  }

  /**
   * Sends a ping after all messages so far, on the sockets that have sent any, or on all. Its pong
   * follows everything that the other end sent before. Unanswered pings are repeated: a peer that
   * is busy writing may not answer one.
   */
  probe(all: boolean): void {
    for (const socket of this.#sockets.values()) {
      if (socket.state !== "open") continue;
      if (all || socket.hasSent) socket.probed++;
      else if (!isUnsettled(socket)) continue;
      socket.hasSent = false;
      socket.client?.ping(String(socket.probed));
    }
  }

  closeAll(): void {
    for (const socket of [...this.#sockets.values()]) this.#drop(socket);
  }

  hostFunctions(): HostFunctions {
    return {
      "http.websocket": (url, headers, timeout) =>
        this.#connect(
          stringArgument(url, 1),
          decodeHeaders(stringArgument(headers, 2)),
          timeout === undefined ? undefined : numberArgument(timeout, 3),
        ),
      "websocket.send": (id, message, binary) =>
        this.#send(this.#get(id), String(message), binary === true),
      "websocket.close": (id) => this.#close(id),
      "websocket.collected": (id) => this.#close(id),
      "websocket.isOpen": (id) => this.#sockets.has(Number(id)),
    };
  }

  #get(id: unknown): Socket {
    const socket = this.#sockets.get(Number(id));
    if (socket === undefined) throw new LuaError("attempt to use a closed file");
    return socket;
  }

  #close(id: unknown): void {
    const socket = this.#sockets.get(Number(id));
    if (socket !== undefined) this.#drop(socket);
  }

  /** No close frame and no event, as in the game. */
  #drop(socket: Socket): void {
    this.#forget(socket);
    socket.client?.terminate();
  }

  #forget(socket: Socket): void {
    socket.state = "closed";
    this.#sockets.delete(socket.id);
    this.#host.changed();
  }

  #connect(url: string, headers: Record<string, string>, timeout: number | undefined): Results {
    if (!this.#host.websocketsEnabled) throw new LuaError("Websocket connections are disabled");
    const limit = timeoutMs(timeout);
    if (limit === undefined) throw new LuaError(`timeout out of range (${timeout})`);
    const parsed = parseUrl(url);
    if (typeof parsed === "string") return new Results(false, parsed);
    if (this.#sockets.size >= MAX_WEBSOCKETS)
      throw new LuaError("Too many websockets already open");
    const socket: Socket = {
      id: this.#nextId++,
      url,
      state: "connecting",
      client: undefined,
      maxMessage: 0,
      sendsInFlight: 0,
      hasSent: false,
      probed: 0,
      answered: 0,
      closeReason: undefined,
    };
    this.#sockets.set(socket.id, socket);
    this.#dial(socket, parsed, headers, limit).catch((error) => this.#fail(socket, error));
    return new Results(true);
  }

  async #dial(
    socket: Socket,
    url: URL,
    headers: Record<string, string>,
    limitMs: number,
  ): Promise<void> {
    const options = await resolveHost(url, this.#host);
    if (socket.state === "closed") return;
    socket.maxMessage = options.maxWebsocketMessage;
    const target = new URL(url);
    target.hash = "";
    const { protocols, others } = splitProtocols(headers);
    const client = new WebSocket(target, protocols, {
      headers: { "User-Agent": `computercraft/${this.#host.version}`, ...others },
      perMessageDeflate: false,
      followRedirects: false,
      handshakeTimeout: limitMs,
      maxPayload: options.maxWebsocketMessage,
    });
    socket.client = client;
    this.#dropInsteadOfEcho(client);
    this.#listen(socket, client);
  }

  /** ws answers a close frame with its own; the game just drops the connection. */
  #dropInsteadOfEcho(client: WebSocket): void {
    const close = client.close.bind(client);
    client.close = (code, reason) => {
      if (code === TOO_BIG_CLOSE_CODE) close(code, reason);
      client.terminate();
    };
  }

  #listen(socket: Socket, client: WebSocket): void {
    client.on("open", () => {
      if (socket.state === "closed") return client.terminate();
      socket.state = "open";
      dropContinuations(client);
      const handle = new LuaExpression(`websocket(${socket.id},${toLiteral(socket.url)})`);
      this.#host.queueEvent("websocket_success", socket.url, handle);
      this.#host.changed();
    });
    client.on("unexpected-response", (request, response) => {
      request.destroy();
      const status = `${response.statusCode} ${response.statusMessage}`;
      this.#failWith(socket, `Invalid handshake response getStatus: ${status}`);
    });
    client.on("message", (data, isBinary) => {
      if (socket.state !== "open") return;
      const bytes = (data as Buffer).toString("latin1");
      const text = isBinary || this.#host.features.rawBytes ? bytes : decodeToBytes(bytes);
      this.#host.queueEvent("websocket_message", socket.url, text, isBinary);
    });
    client.on("pong", (data) => {
      socket.answered = Number(data);
    });
    client.on("error", (error) => {
      if (socket.state === "connecting") this.#fail(socket, error);
      else socket.closeReason ??= friendlyError(error);
    });
    client.on("close", (code, reason) => this.#onClose(socket, code, reason.toString("latin1")));
  }

  #onClose(socket: Socket, code: number, reason: string): void {
    if (socket.state === "closed") return;
    if (socket.state === "connecting") {
      this.#failWith(socket, "Could not connect");
      return;
    }
    this.#forget(socket);
    if (socket.closeReason !== undefined) {
      this.#host.queueEvent("websocket_closed", socket.url, socket.closeReason);
    } else if (code === 1006) {
      const reason = this.#host.features.oldTexts ? "Websocket is inactive" : "Connection closed";
      this.#host.queueEvent("websocket_closed", socket.url, reason);
    } else {
      const known = code === 1005 ? undefined : code;
      this.#host.queueEvent(
        "websocket_closed",
        socket.url,
        reason === "" ? undefined : reason,
        known,
      );
    }
  }

  #fail(socket: Socket, error: unknown): void {
    this.#failWith(socket, friendlyError(error));
  }

  #failWith(socket: Socket, reason: string): void {
    if (socket.state !== "connecting") return;
    this.#forget(socket);
    this.#host.queueEvent("websocket_failure", socket.url, reason);
  }

  #send(socket: Socket, message: string, binary: boolean): void {
    if (socket.maxMessage !== 0 && message.length > socket.maxMessage) {
      throw new LuaError("Message is too large");
    }
    if (this.#host.features.sendsInFlightLimit && socket.sendsInFlight >= MAX_SENDS_IN_FLIGHT) {
      throw new LuaError("Too many ongoing websocket messages");
    }
    socket.sendsInFlight++;
    socket.hasSent = true;
    const bytes = Buffer.from(message, "latin1");
    // Bytes that are not UTF-8 turn into U+FFFD; before 1.109 each byte was a character.
    const payload = binary
      ? bytes
      : this.#host.features.rawBytes
        ? bytes.toString("utf8")
        : message;
    socket.client?.send(payload, { binary }, () => {
      socket.sendsInFlight--;
    });
  }
}

function isUnsettled(socket: Socket): boolean {
  return socket.answered < socket.probed;
}

function splitProtocols(headers: Record<string, string>): {
  protocols: string[];
  others: Record<string, string>;
} {
  const others: Record<string, string> = {};
  let protocols: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === "sec-websocket-protocol") {
      protocols = value.split(",").map((part) => part.trim());
    } else others[name] = value;
  }
  return { protocols, others };
}
