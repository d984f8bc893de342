import { resolve } from "node:path";
import type { Discovered } from "./config/discovery.js";
import type { Config } from "./config/schema.js";
import { EventWatcher, type GameEvent } from "./events/watcher.js";
import { Game } from "./game/game.js";
import { parseChatPattern } from "./log/facts.js";
import { LogTail } from "./log/tail.js";
import { loggedVersion } from "./log/version.js";
import type { Log } from "./logging.js";
import { MsmpClient } from "./msmp/client.js";
import { RconClient } from "./rcon/client.js";
import { pingServer } from "./status/ping.js";

export interface ServerTimes {
  rconTimeoutMs: number;
  retryFirstMs: number;
  retryMaxMs: number;
  wrongPasswordMs: number;
  logPollMs: number;
  measureMs: number;
}

export const serverTimes: ServerTimes = {
  rconTimeoutMs: 10_000,
  retryFirstMs: 1_000,
  retryMaxMs: 30_000,
  wrongPasswordMs: 60_000,
  logPollMs: 150,
  measureMs: 2_000,
};

export interface MinecraftServerOptions {
  folder: string;
  config: Config["server"];
  discovered: Discovered;
  log: Log;
  times: ServerTimes;
  onEvent(event: GameEvent): void;
  onLost(count: number): void;
}

export class MinecraftServer {
  readonly game: Game;
  readonly watcher: EventWatcher;
  readonly #rcon: RconClient | undefined;
  readonly #msmp: MsmpClient | undefined;
  readonly #tail: LogTail;
  readonly #logPath: string;

  constructor(options: MinecraftServerOptions) {
    const { folder, config, discovered, log, times } = options;
    const { rconTimeoutMs: timeoutMs, retryFirstMs: firstMs, retryMaxMs: maxMs } = times;
    this.#rcon = rconOf(options, () => this.watcher.refresh());
    const url = config.management_url ?? discovered.management?.url;
    const secret = config.management_secret ?? discovered.management?.secret;
    if (url !== undefined && secret !== undefined) {
      this.#msmp = new MsmpClient({
        url,
        secret,
        log,
        timeoutMs,
        retry: { firstMs, maxMs },
        onConnect: (players) => this.watcher.managed(players),
        onDisconnect: () => this.watcher.unmanaged(),
        onJoin: (player) => this.watcher.joined(player),
        onQuit: (player) => this.watcher.left(player),
      });
    }
    const rcon = this.#rcon;
    this.game = new Game({
      software: discovered.software,
      run: rcon === undefined ? undefined : async (command) => ({ text: await rcon.run(command) }),
      ping: () =>
        pingServer({
          host: config.game_host ?? discovered.host,
          port: config.game_port ?? discovered.gamePort,
          timeoutMs: Math.min(timeoutMs, 3_000),
        }),
      msmp: () => (this.#msmp?.connected === true ? this.#msmp : undefined),
      loggedVersion: () => this.watcher.version,
      measureMs: times.measureMs,
    });
    this.watcher = new EventWatcher({
      game: this.game,
      log,
      canAsk: () => rcon?.connected === true,
      readLog: () => this.#tail.readAll(),
      onEvent: options.onEvent,
      onLost: options.onLost,
      chat: config.chat_pattern === undefined ? undefined : parseChatPattern(config.chat_pattern),
    });
    this.#logPath = config.log === undefined ? discovered.logPath : resolve(folder, config.log);
    this.#tail = new LogTail({
      path: this.#logPath,
      pollMs: times.logPollMs,
      onLine: (line) => this.watcher.line(line),
      onProblem: (reason) => log.warn("the server's log cannot be read", { reason }),
    });
  }

  get routes(): { commands: boolean; log: boolean; msmp: boolean } {
    return { commands: this.#rcon !== undefined, log: true, msmp: this.#msmp !== undefined };
  }

  /** A lagging server may take as long as the caller of a command waits. */
  answerWithin(ms: number): void {
    this.#rcon?.answerWithin(ms);
  }

  async start(): Promise<void> {
    await this.#tail.start();
    this.watcher.version ??= await loggedVersion(this.#logPath);
    this.#msmp?.start();
    await this.#rcon?.start();
    await this.game.ping();
  }

  async stop(): Promise<void> {
    this.#rcon?.stop();
    this.#msmp?.stop();
    await this.#tail.stop();
  }
}

function rconOf(
  { config, discovered, log, times }: MinecraftServerOptions,
  onConnect: () => void,
): RconClient | undefined {
  const port = config.rcon_port ?? discovered.rcon?.port;
  const password = config.rcon_password ?? discovered.rcon?.password;
  if (port === undefined || password === undefined) return undefined;
  return new RconClient({
    host: config.rcon_host ?? discovered.host,
    port,
    password,
    log,
    timeoutMs: times.rconTimeoutMs,
    retry: {
      firstMs: times.retryFirstMs,
      maxMs: times.retryMaxMs,
      wrongPasswordMs: times.wrongPasswordMs,
    },
    onConnect,
  });
}
