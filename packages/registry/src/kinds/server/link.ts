import { utf8Length } from "@ccbridge/protocol";
import {
  type AnswerFrame,
  type CommandFrame,
  CustomToolSchema,
  type DecodedServerFrame,
  DIALECT_VERSION,
  decodeFrame,
  type EventFrame,
  encodeError,
  encodeFailure,
  encodeRequest,
  encodeResponse,
  type Frame,
  type Hello,
  type HelloResult,
  HelloSchema,
  isQuery,
  isToolName,
  MAX_TO_SERVER_BYTES,
  OfferToolsSchema,
  type QueryFrame,
  ServerCloseCode,
  ServerErrorCode,
  type ServerOutcome,
} from "@ccbridge/protocol/minecraft";
import { type KeptResult, keepValue } from "../../jobs/job-session.js";
import type { BrokenTool, OfferedTool } from "../../offers.js";
import type { Answer, Outgoing } from "../../provider.js";
import type { Channel, Origin } from "../../session.js";
import { printable } from "../../text.js";
import { TextSession } from "../../text-session.js";
import type { EventCount } from "./event-counts.js";
import { identifyServer, isServerName, SERVER_NAME_RULE, type ServerProvider } from "./provider.js";
import type { Servers } from "./servers.js";

/** Longer than a hello takes over the internet. */
const SILENCE_MS = 250;

const FEATURES = ["tools", "events"];

/** What is known of a connection of a server before its first message. */
export interface ServerOrigin extends Origin {
  readonly name?: string | undefined;
}

/**
 * One connection of a Minecraft server, from the first byte to the last. Nothing counts before it showed a token,
 * in the connection itself or in its first message.
 */
export class ServerLink extends TextSession {
  readonly #servers: Servers;
  readonly #givenName: string | undefined;
  readonly through = undefined;
  #owner: string | undefined;
  #server: ServerProvider | undefined;
  #events: EventCount | undefined;
  #acknowledges = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  protected override get closeCodes() {
    return { replaced: ServerCloseCode.replaced };
  }

  constructor(servers: Servers, channel: Channel, origin: ServerOrigin) {
    super(servers.registry, channel, origin);
    this.#servers = servers;
    this.#givenName = origin.name;
    const { helloTimeoutMs } = this.host.limits;
    if (origin.token === undefined) {
      this.#timer = setTimeout(
        () => this.#refuseToken(ServerCloseCode.authTimeout),
        helloTimeoutMs,
      );
    } else {
      // Most servers introduce themselves at once; one that does not is linked anyway.
      this.#timer = setTimeout(() => this.#admit(undefined), SILENCE_MS);
    }
  }

  get provider(): ServerProvider {
    if (this.#server === undefined) throw new Error("this server is not linked");
    return this.#server;
  }

  get identified(): boolean {
    return this.#server !== undefined;
  }

  /** Whose token it showed: servers of one owner may replace each other. */
  override get owner(): string | undefined {
    return this.#owner;
  }

  refuse(closeCode: ServerCloseCode, code: ServerErrorCode, message: string, id = ""): void {
    if (!this.open) return;
    const sender = { source: "mcp", id: id === "" ? this.host.nextId() : id } as const;
    this.turnAway(closeCode, encodeError(sender, { code, message }), message);
  }

  prepare(id: string, method: string, params: unknown): Outgoing {
    const args = (params ?? {}) as object;
    const looks = isToolName(method) && isQuery(method);
    const text = encodeRequest(
      { source: "mcp", id },
      looks ? { query: method, args } : { command: method, args },
    );
    return this.checked({ id, method, bytes: utf8Length(text), text });
  }

  cancel(): boolean {
    return false;
  }

  acknowledge(): void {}

  keep(result: unknown): KeptResult {
    return keepValue(result);
  }

  ping(): void {
    this.channel.ping?.();
  }

  alive(): void {
    if (this.open) this.seen();
  }

  /** Lets go of a connection that turned out not to be a server's; it stays open. */
  release(): void {
    clearTimeout(this.#timer);
    this.#servers.detach(this);
  }

  receive(text: string): void {
    if (!this.open) return;
    this.seen();
    const decoded = decodeFrame(text, "minecraft");
    const isLogin = this.#owner === undefined;
    if (isLogin) {
      clearTimeout(this.#timer);
      if (!this.logIn(decoded.authToken)) return;
    }
    if (decoded.foreignVersion) {
      this.reportOnce(
        "version",
        `speaks another version than ${DIALECT_VERSION}; it may be misread`,
      );
    }
    if (isLogin && isOnlyLogin(decoded)) {
      this.#admit(undefined, decoded.ok ? decoded.frame.id : decoded.id);
    } else if (decoded.ok) {
      this.wellFormed();
      this.#dispatch(decoded.frame, text.length);
    } else this.#malformed(decoded.reason, decoded.id);
  }

  protected maxRequestBytes(): number {
    return MAX_TO_SERVER_BYTES;
  }

  protected override transmit(request: Outgoing & { readonly text: string }): void {
    const { method } = request;
    const type = isToolName(method) && isQuery(method) ? "query" : "command";
    this.#servers.forwarded({ type, what: method, source: "mcp", to: this.name });
    super.transmit(request);
  }

  protected override onEnd(): void {
    clearTimeout(this.#timer);
    this.#servers.detach(this);
  }

  logIn(token: string | undefined): boolean {
    const owner = token === undefined ? undefined : this.#servers.ownerOf(token, this.origin);
    if (typeof owner === "string") {
      this.#owner = owner;
      return true;
    }
    if (owner === undefined) this.#refuseToken(ServerCloseCode.unauthorized);
    // The token may be right, so the server must not give up.
    else
      this.refuse(
        ServerCloseCode.tooManyLinks,
        ServerErrorCode.connectionError,
        owner.laterBecause,
      );
    return false;
  }

  #refuseToken(closeCode: ServerCloseCode): void {
    this.refuse(closeCode, ServerErrorCode.authFailed, "The token is missing or wrong.");
  }

  #dispatch(frame: Frame, size: number): void {
    const isHello = frame.type === "command" && frame.payload.command === "hello";
    if (isHello) return this.#greet(frame);
    if (!this.identified) this.#admit(undefined);
    if (!this.open) return;
    switch (frame.type) {
      case "response":
      case "error":
        return this.#answer(frame);
      case "event":
        return this.#event(frame, size);
      default:
        if (frame.type === "command" && frame.payload.command === "offer_tools") this.#offer(frame);
        else this.#refuseRequest(frame);
    }
  }

  #answer({ id, type, outcome }: AnswerFrame): void {
    const method = this.settle(id, toAnswer(outcome));
    if (method === undefined) this.report("debug", "ignored: an answer without a request");
    else this.#servers.forwarded({ type, what: method, source: this.name, to: "mcp" });
  }

  #greet({ id, payload }: CommandFrame): void {
    const hello = HelloSchema.safeParse(payload.args);
    if (hello.success) this.#admit(hello.data, id);
    else this.#malformed("hello: not an introduction", id);
  }

  #admit(hello: Hello | undefined, id?: string): void {
    clearTimeout(this.#timer);
    if (!this.open) return;
    // The address that it dialled is set by the owner, and so is the name in it.
    const name = this.#server?.serverName ?? this.#givenName ?? (hello?.name || undefined);
    if (name !== undefined && !isServerName(name)) {
      return this.refuse(ServerCloseCode.policy, ServerErrorCode.invalidArgs, SERVER_NAME_RULE, id);
    }
    const server = identifyServer(name, hello);
    const refusal = this.#servers.reasonToRefuse(this, server.key);
    if (refusal !== undefined) {
      return this.refuse(refusal.closeCode, ServerErrorCode.connectionError, refusal.message, id);
    }
    const known = this.#servers.counts.begin(server, hello);
    this.#server = server;
    this.#events = known;
    this.#acknowledges = hello?.acknowledge === true;
    this.#servers.registry.join(this, {
      welcome: () => {
        if (id === undefined) return;
        const result: HelloResult = {
          version: DIALECT_VERSION,
          name: server.serverName,
          acknowledge: this.#acknowledges,
          nextEvent: known.next,
          features: FEATURES,
          timeoutMs: this.#servers.timeoutMs,
        };
        this.write(encodeResponse({ source: "mcp", id }, result));
      },
    });
  }

  #event({ id, payload }: EventFrame, size: number): void {
    if (this.#events !== undefined) {
      this.#servers.receiveEvent(this, this.#events, payload, size);
    }
    if (this.#acknowledges) this.write(encodeResponse({ source: "mcp", id }));
  }

  /** Takes all custom tools of the server. Those that cannot be read are reported as broken. */
  #offer({ id, payload }: CommandFrame): void {
    const offer = OfferToolsSchema.safeParse(payload.args);
    if (!offer.success) return this.#malformed("offer_tools: not a list of at most 256 tools", id);
    const tools: OfferedTool[] = [];
    const broken: BrokenTool[] = [];
    for (const given of offer.data.tools) {
      const tool = CustomToolSchema.safeParse(given);
      if (tool.success) tools.push(tool.data);
      else
        broken.push({ file: nameOf(given), problem: tool.error.issues[0]?.message ?? "invalid" });
    }
    this.#servers.registry.offered.offer(this.provider, { tools, broken });
    this.write(encodeResponse({ source: "mcp", id }));
  }

  #refuseRequest({ id }: CommandFrame | QueryFrame): void {
    const message = "A bridge takes no requests from servers, but for hello and offer_tools.";
    const sender = { source: "mcp", id } as const;
    this.write(encodeFailure(sender, { code: ServerErrorCode.invalidCommand, message }));
  }

  #malformed(reason: string, id: string | undefined): void {
    if (id !== undefined) {
      const message = `The message is not valid: ${reason}`;
      const error = { code: ServerErrorCode.schemaError, message };
      this.write(encodeError({ source: "mcp", id }, error));
      // The caller gets the error now: a better answer will not come.
      this.settle(id, { ok: false, error: message, result: { code: ServerErrorCode.schemaError } });
    }
    this.malformed(reason);
  }
}

function isOnlyLogin(decoded: DecodedServerFrame): boolean {
  if (!decoded.ok) return true;
  const { frame } = decoded;
  return frame.type !== "event" && !(frame.type === "command" && frame.payload.command === "hello");
}

function nameOf(tool: unknown): string {
  const { name } = Object(tool) as { name?: unknown };
  return typeof name === "string" ? printable(name.slice(0, 64)) : "a tool without a name";
}

function toAnswer(outcome: ServerOutcome): Answer {
  if (outcome.ok) return { ok: true, result: outcome.data };
  const { code, message, details } = outcome;
  return { ok: false, error: message, result: { code, details } };
}
