import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CommandPatterns, stepsOf } from "@ccbridge/protocol/minecraft";
import { type Discovered, discoverServer } from "./config/discovery.js";
import { accessWarnings, loadConfig, type Overrides } from "./config/load.js";
import type { Config } from "./config/schema.js";
import { watchConfig } from "./config/watch.js";
import { messageOf } from "./errors.js";
import { Outbox } from "./events/outbox.js";
import { callTool, capabilitiesOf, type Policy } from "./game/tools.js";
import { BridgeLink } from "./link/link.js";
import { shownUrl } from "./link/shown-url.js";
import type { Logger } from "./logging.js";
import { MinecraftServer, type ServerTimes, serverTimes } from "./server.js";
import { version } from "./version.js";

const MAX_OUTBOX_BYTES = 8 * 1_024 * 1_024;
const MAX_RETRY_MS = 30_000;
const CONFIG_POLL_MS = 2_000;

export interface AgentOptions {
  folder: string;
  configPath: string;
  overrides: Overrides;
  log: Logger;
  times?: Partial<
    ServerTimes & {
      configPollMs: number;
      linkRefusedMs: number;
      linkRetry: { firstMs: number; maxMs: number };
    }
  >;
  onGivenUp?(): void;
}

export class Agent {
  readonly #options: AgentOptions;
  readonly #instance = randomUUID();
  readonly #outbox: Outbox;
  #config: Config;
  #discovered: Discovered;
  #policy: Policy;
  #server: MinecraftServer;
  #link: BridgeLink;
  #unwatch: (() => void) | undefined;
  #changing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#config = loadConfig(options.configPath, options.overrides);
    this.#outbox = new Outbox({
      maxEvents: this.#config.events.queue_size,
      maxBytes: MAX_OUTBOX_BYTES,
    });
    this.#discovered = discoverServer(options.folder);
    this.#hideSecrets();
    options.log.level = this.#config.logging.level;
    this.#policy = policyOf(this.#config);
    this.#server = this.#createServer();
    this.#link = this.#createLink();
  }

  get linked(): boolean {
    return this.#link.ready;
  }

  get lost(): number {
    return this.#outbox.lost;
  }

  async start(): Promise<void> {
    const { log, folder, configPath, times } = this.#options;
    const { server, bridge, events } = this.#config;
    log.info("ccbridge-minecraft-agent", {
      version,
      folder,
      configPath,
      name: server.name,
      bridge: shownUrl(bridge.url),
      events: events.enabled,
      patterns: this.#policy.patterns.size,
      software: this.#discovered.software,
    });
    const advice = [...this.#discovered.advice, ...accessWarnings(configPath, this.#config)];
    for (const sentence of advice) log.warn(sentence);
    await this.#server.start();
    log.info("started", { route: this.#hello().route || "none" });
    this.#link.start();
    const pollMs = times?.configPollMs ?? CONFIG_POLL_MS;
    // A missing setting may appear there after the server's next start.
    const unwatch = [configPath, join(folder, "server.properties")].map((path) =>
      watchConfig(path, pollMs, () => this.reload()),
    );
    this.#unwatch = () => {
      for (const end of unwatch) end();
    };
  }

  reload(): Promise<void> {
    this.#changing = this.#changing.then(() => this.#reload());
    return this.#changing;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#unwatch?.();
    await this.#changing;
    await Promise.all([this.#link.stop(), this.#server.stop()]);
    this.#options.log.info("stopped", { unsentEvents: this.#outbox.size, lostEvents: this.lost });
  }

  async #reload(): Promise<void> {
    const { log, configPath, overrides, folder } = this.#options;
    let config: Config;
    try {
      config = loadConfig(configPath, overrides);
    } catch (error) {
      log.error("the changed configuration is not used", { reason: messageOf(error) });
      return;
    }
    if (this.#stopped) return;
    const before = this.#config;
    const discovered = discoverServer(folder);
    const isOtherServer =
      !isDeepStrictEqual(config.server, before.server) ||
      !isDeepStrictEqual(withoutAdvice(discovered), withoutAdvice(this.#discovered));
    const isOtherBridge = !isDeepStrictEqual(config.bridge, before.bridge);
    if (isDeepStrictEqual([config, discovered], [before, this.#discovered])) return;
    const announced = this.#hello().capabilities;
    this.#config = config;
    this.#outbox.maxEvents = config.events.queue_size;
    this.#discovered = discovered;
    this.#hideSecrets();
    log.level = config.logging.level;
    this.#policy = policyOf(config);
    for (const sentence of discovered.advice) log.warn(sentence);
    if (isOtherServer) {
      await this.#server.stop();
      this.#server = this.#createServer();
      await this.#server.start();
    }
    if (isOtherBridge || isOtherServer) {
      await this.#link.stop();
      this.#link = this.#createLink();
      this.#link.start();
    } else if (!isDeepStrictEqual(this.#hello().capabilities, announced)) {
      // The bridge shows clients what this server can do.
      this.#link.introduce();
    }
    log.info("configuration changed", { server: isOtherServer, bridge: isOtherBridge });
  }

  #createServer(): MinecraftServer {
    const { folder, log, times } = this.#options;
    return new MinecraftServer({
      folder,
      config: this.#config.server,
      discovered: this.#discovered,
      log,
      times: { ...serverTimes, ...times },
      onEvent: (event) => {
        if (!this.#config.events.enabled.includes(event.eventType)) return;
        this.#outbox.push(event);
        this.#link.flush();
      },
      onLost: (count) => this.#outbox.skip(count),
    });
  }

  #createLink(): BridgeLink {
    const { log, times, onGivenUp } = this.#options;
    const { url, auth_token, reconnect_attempts, reconnect_delay } = this.#config.bridge;
    return new BridgeLink({
      url,
      token: auth_token,
      attempts: reconnect_attempts,
      retry: times?.linkRetry ?? {
        firstMs: reconnect_delay,
        maxMs: Math.max(MAX_RETRY_MS, reconnect_delay),
      },
      ...(times?.linkRefusedMs === undefined ? {} : { refusedMs: times.linkRefusedMs }),
      log,
      outbox: this.#outbox,
      hello: () => this.#hello(),
      serve: (request, signal) => callTool(this.#server.game, this.#policy, request, signal),
      ...(onGivenUp === undefined ? {} : { onGivenUp }),
      onLinked: (timeoutMs) => this.#server.answerWithin(stepsOf(timeoutMs)),
    });
  }

  #hello() {
    const { routes, game } = this.#server;
    const allowed = { tools: this.#policy.tools, events: this.#config.events.enabled };
    const named = { commands: "RCON", log: "log", msmp: "management protocol" };
    return {
      name: this.#config.server.name,
      instance: this.#instance,
      agent: { name: "ccbridge-minecraft-agent", version },
      game: {
        software: game.software,
        ...(game.knownVersion === undefined ? {} : { version: game.knownVersion }),
      },
      route: (["commands", "log", "msmp"] as const)
        .filter((route) => routes[route])
        .map((route) => named[route])
        .join(" + "),
      capabilities: capabilitiesOf(routes, allowed),
      acknowledge: true,
      nextEvent: this.#outbox.firstUnsettled,
      eventCount: this.#outbox.count,
    };
  }

  #hideSecrets(): void {
    const { bridge, server } = this.#config;
    const { rcon, management } = this.#discovered;
    this.#options.log.secrets = [
      bridge.auth_token,
      server.rcon_password,
      server.management_secret,
      rcon?.password,
      management?.secret,
    ].filter((secret) => secret !== undefined);
  }
}

function policyOf({ commands, security }: Config): Policy {
  return {
    tools: new Set(commands.tools),
    patterns: new CommandPatterns(commands.allowed_patterns, security.max_command_length),
  };
}

function withoutAdvice({ advice: _, ...rest }: Discovered) {
  return rest;
}
