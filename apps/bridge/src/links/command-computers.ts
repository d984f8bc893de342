import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CommandAnswer,
  type CommandForm,
  callTool,
  Game,
  type Policy,
  RequestError,
} from "@ccbridge/minecraft-agent/game";
import { type MethodName, type MethodParams, type MethodResult, methods } from "@ccbridge/protocol";
import {
  type BlockInfo,
  type Box,
  EventPayloadSchema,
  HelloSchema,
  isAir,
  type Location,
  ServerCloseCode,
  ServerErrorCode,
  stepsOf,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import {
  type Answer,
  type BackendSession,
  type ComputerProvider,
  type Computers,
  isComputer,
  isServer,
  LinkError,
  printable,
  type RegistryChange,
  type Servers,
} from "@ccbridge/registry";
import { serverCode } from "../config/server-settings.js";
import { settings } from "../config/settings.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { type ReadCube, readBox } from "./command-blocks.js";

/** How long the computer may take for one command: a tick each, and the server may lag. */
const ASK_TIMEOUT_MS = 15_000;
/** How long to wait before asking for events again: a wire of requests and answers cannot push them. */
const NEWS_MS = 400;
/** A server that lags is not gone: the link itself shows when it is. */
const NEWS_TIMEOUT_MS = 300_000;
/** Computers without consent that /health lists. */
const MAX_LISTED = 16;
const SETTING = settings.minecraftCommandComputers.env;
/** The program takes commands of this length. The mod reads their bytes as Latin-1, whatever they were. */
const COMMAND_FORM: CommandForm = { maxBytes: 32_000, isAsciiOnly: true };

type Ask = <M extends MethodName>(
  method: M,
  params: MethodParams<M>,
  timeoutMs?: number,
) => Promise<MethodResult<M>>;

export interface CommandServersOptions {
  computers: Computers;
  servers: Servers;
  policy(): Policy;
  allowed: readonly string[];
  /** Called with the secret of a computer that is allowed. */
  onSecret(key: string, secret: string): void;
  log: PeerLog;
}

/**
 * Lets command computers be Minecraft servers: each one configured so (`mcp-computer --server`) that the owner
 * of the bridge allowed is linked as one more server, over the link that it has. The tools are those of the
 * server agent; only commands, blocks and events come from the game.
 *
 * Anyone who may link a computer can claim that it is a command computer, and choose its id and label. So
 * consent is for a secret that only the computer has.
 */
export class CommandServers {
  readonly #options: CommandServersOptions;
  readonly #servers = new Map<string, CommandServer>();

  constructor(options: CommandServersOptions) {
    this.#options = options;
    options.computers.registry.changes.subscribe((change) => this.#note(change), {
      topics: ["linked", "unlinked"],
    });
  }

  get waiting(): string[] {
    return [...this.#servers.values()].flatMap(({ code }) => code ?? []).slice(0, MAX_LISTED);
  }

  #note(change: Extract<RegistryChange, { topic: "linked" | "unlinked" }>): void {
    const { provider } = change;
    if (isComputer(provider)) {
      if (change.topic === "unlinked") {
        this.#servers.get(provider.key)?.end("the computer is gone");
        this.#servers.delete(provider.key);
      } else if (provider.methods.includes("server-describe")) this.#begin(provider);
    } else if (change.topic === "unlinked" && isServer(provider) && !provider.through) {
      // The name of a server with a token may be free now.
      for (const { computer } of [...this.#servers.values()]) this.#begin(computer);
    }
  }

  #begin(computer: ComputerProvider): void {
    if (this.#servers.get(computer.key)?.isOpen || this.#options.servers.registry.isClosed) return;
    this.#servers.set(computer.key, new CommandServer(computer, this.#options));
  }
}

class CommandServer {
  readonly computer: ComputerProvider;
  /** What the owner allows it by, while it waits for that. */
  code: string | undefined;
  readonly #options: CommandServersOptions;
  readonly #game: Game;
  #link: BackendSession | undefined;
  #ended = false;

  constructor(computer: ComputerProvider, options: CommandServersOptions) {
    this.computer = computer;
    this.#options = options;
    const [, version] = /Minecraft ([\w.-]+)/.exec(computer.host ?? "") ?? [];
    this.#game = new Game({
      software: "vanilla",
      run: (command) => this.#run(command),
      form: COMMAND_FORM,
      blocks: (centre, radius) => this.#blocks(centre, radius),
      box: (world, box) => this.#box(world, box),
      loggedVersion: () => version,
    });
    // A computer that goes away in the middle comes back and is asked again.
    this.#begin(version).catch((error: unknown) => this.end((error as Error).message));
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#link?.closed(reason);
  }

  async #begin(version: string | undefined): Promise<void> {
    const { key, computerId, name: computerName } = this.computer;
    const { name, run, first, chat, secret } = await this.#ask("server-describe", {
      secret: randomBytes(24).toString("base64url"),
    });
    if (this.#ended) return;
    const code = secret && serverCode(computerId, secret);
    if (!secret || !code || !this.#options.allowed.includes(code)) {
      return this.#await(name, code);
    }
    this.#options.onSecret(key, secret);
    const hello = HelloSchema.parse({
      name,
      instance: run,
      agent: this.computer.agent ?? undefined,
      game: { version },
      route: computerName,
      capabilities: {
        tools: [...toolNames],
        events: ["player_join", "player_quit", ...(chat ? ["player_chat"] : [])],
        notes: {
          ...(chat ? {} : { player_chat: "Attach a chat box of Advanced Peripherals to it." }),
          player_death: "A command computer cannot see it. The server agent or a mod can.",
          block_break: "A command computer cannot see it. A server mod can.",
        },
      },
      nextEvent: first,
    });
    const link = this.#options.servers.connect({
      name,
      through: this.computer,
      hello,
      call: (tool, args) => this.#call(tool, args),
      isAlive: () => this.#isAlive(),
      ended: (code) => {
        this.#ended = true;
        if (code === "replaced") this.#notifyNameTaken(name);
      },
    });
    if ("message" in link) {
      this.#ended = true;
      if (link.closeCode === ServerCloseCode.nameTaken) this.#notifyNameTaken(name);
      return;
    }
    this.#link = link;
    this.#notify(`AI clients see this computer as the Minecraft server "${name}".`);
    await this.#follow(first);
  }

  #await(name: string, code: string | undefined): void {
    this.code = code;
    const { computerId: computer, label } = this.computer;
    const address = this.#session()?.origin.address ?? "";
    const facts = { computer, label, address, server: printable(name) };
    if (code === undefined) {
      this.#options.log.warn(
        facts,
        "a computer offers to be a Minecraft server, but cannot keep a secret: its disk is full, or its program is too old",
      );
      return this.#notify(
        "This computer is not a Minecraft server: it cannot keep the secret by which the bridge would know it. Is the disk full?",
      );
    }
    this.#options.log.warn(
      { ...facts, code },
      `a computer offers to be a Minecraft server: if it is yours, add its code to ${SETTING} and restart the bridge`,
    );
    this.#notify(
      `This computer is not a Minecraft server yet. The owner of the bridge allows it by adding ${code} to ${SETTING}.`,
    );
  }

  #notifyNameTaken(name: string): void {
    this.#notify(
      `The bridge has another server with the name "${name}". This computer is not a server until that one is gone; for another name, type mcp-computer --server <name>.`,
    );
  }

  #notify(text: string): void {
    if (!this.computer.methods.includes("server-notice")) return;
    this.#ask("server-notice", { text }).catch(() => {});
  }

  async #follow(first: number): Promise<void> {
    for (let from = first; !this.#ended; ) {
      const page = await this.#ask("server-events", { from }, NEWS_TIMEOUT_MS);
      for (const { seq, eventType, timestamp, data } of page.events) {
        const event = EventPayloadSchema.safeParse({ eventType, timestamp, data, seq });
        if (event.success) this.#link?.receiveEvent(event.data);
      }
      from = page.next;
      await delay(NEWS_MS, undefined, { ref: false });
    }
  }

  async #call(name: string, args: object): Promise<Answer> {
    try {
      const result = await callTool(
        this.#game,
        this.#options.policy(),
        { name, args },
        AbortSignal.timeout(stepsOf(this.#options.servers.timeoutMs)),
      );
      return { ok: true, result };
    } catch (error) {
      const code = error instanceof RequestError ? error.code : ServerErrorCode.connectionError;
      return { ok: false, error: (error as Error).message, result: { code } };
    }
  }

  async #run(command: string): Promise<CommandAnswer> {
    const timeoutMs = Math.max(ASK_TIMEOUT_MS, stepsOf(this.#options.servers.timeoutMs));
    const { ok, lines } = await this.#ask("server-command", { command }, timeoutMs);
    return { text: lines.join("\n"), failed: !ok };
  }

  async #blocks({ world, x, y, z }: Location, radius: number): Promise<BlockInfo[]> {
    const [cx, cy, cz] = [x, y, z].map(Math.floor) as [number, number, number];
    const reach = Math.ceil(radius);
    const from = { x: cx - reach, y: cy - reach, z: cz - reach };
    const to = { x: cx + reach, y: cy + reach, z: cz + reach };
    const found: BlockInfo[] = [];
    for (const [key, type] of await this.#box(world, { from, to })) {
      const [bx = 0, by = 0, bz = 0] = key.split(" ").map(Number);
      if (isAir(type) || Math.hypot(bx - cx, by - cy, bz - cz) > radius) continue;
      found.push({ type, location: { world, x: bx, y: by, z: bz } });
    }
    return found;
  }

  #box(world: string, box: Box) {
    const read: ReadCube = (cube) => this.#ask("server-blocks", cube, 2 * ASK_TIMEOUT_MS);
    return readBox(read, world, box);
  }

  #isAlive(): boolean {
    return this.#session()?.state === "live";
  }

  #session() {
    return this.#options.computers.registry.session(this.computer.key);
  }

  readonly #ask: Ask = async (method, params, timeoutMs = ASK_TIMEOUT_MS) => {
    const session = this.#session();
    if (session === undefined) {
      throw new LinkError("not-linked", `${this.computer.name} is not linked any more`);
    }
    const answer = await session.request(method, params, { timeoutMs });
    if (!answer.ok) throw new RequestError(ServerErrorCode.serverError, answer.error);
    return methods[method].result.parse(answer.result) as never;
  };
}
