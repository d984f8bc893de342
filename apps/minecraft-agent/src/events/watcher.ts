import { setTimeout as delay } from "node:timers/promises";
import type { EventData, EventType, Location } from "@ccbridge/protocol/minecraft";
import { messageOf } from "../errors.js";
import { entityData } from "../game/answers.js";
import type { Game } from "../game/game.js";
import { factOf, type LogFact } from "../log/facts.js";
import { parseLogLine } from "../log/line.js";
import type { Log } from "../logging.js";
import type { ListedPlayer } from "../msmp/client.js";
import { OnlinePlayers } from "./online.js";

/** A game tick: after it a joined player is in the list. */
const TICK_MS = 60;
const MAX_WAITING = 20_000;
const MAX_UUIDS = 1_000;
const MAX_DOUBTFUL_EVENTS = 16;

export interface GameEvent<T extends EventType = EventType> {
  eventType: T;
  timestamp: number;
  data: EventData<T>;
}

export interface EventWatcherOptions {
  game: Game;
  log: Log;
  canAsk(): boolean;
  /** Resolves once the current end of the log was read. Never rejects. */
  readLog(): Promise<void>;
  onEvent(event: GameEvent): void;
  onLost(count: number): void;
  chat?: RegExp | undefined;
}

/**
 * Turns log lines and management notifications into events, sequentially: a death that waits for
 * the server's answer is not overtaken by later chat.
 */
export class EventWatcher {
  readonly #options: EventWatcherOptions;
  readonly online = new OnlinePlayers();
  readonly #uuids = new Map<string, string>();
  readonly #leaving = new Map<string, number>();
  readonly #doubtful = new Map<string, GameEvent[]>();
  #queue: Promise<void> = Promise.resolve();
  #departures: Promise<void> = Promise.resolve();
  #departing = 0;
  #waiting = 0;
  #trusted = false;
  version: string | undefined;

  constructor(options: EventWatcherOptions) {
    this.#options = options;
  }

  line(raw: string): void {
    const line = parseLogLine(raw);
    const fact = line === undefined ? undefined : factOf(line, this.#options.chat);
    if (fact === undefined) return;
    // Time of arrival: the log has only the time of day.
    const timestamp = Date.now();
    if (fact.kind === "quit") this.#countLeaving(fact.player, 1);
    const isQueued = this.#enqueue(() => this.#receive(fact, timestamp));
    if (!isQueued && fact.kind === "quit") this.#countLeaving(fact.player, -1);
  }

  managed(players: readonly ListedPlayer[]): void {
    this.#enqueue(async () => {
      this.#trusted = true;
      this.online.replace(players);
    });
  }

  unmanaged(): void {
    this.#enqueue(async () => {
      this.#trusted = false;
    });
  }

  joined({ name, uuid }: ListedPlayer): void {
    const timestamp = Date.now();
    const join = () => this.#enqueue(async () => this.#join(name, uuid, timestamp));
    // A rejoin must not overtake the player's own departure.
    if (this.#departing === 0) join();
    else this.#departures = this.#departures.then(() => void join());
  }

  left({ name, uuid }: ListedPlayer): void {
    const timestamp = Date.now();
    this.#departing += 1;
    // The log lags behind: it may still contain the death.
    this.#departures = this.#departures
      .then(() => this.#options.readLog())
      .then(() => {
        this.#departing -= 1;
        this.#enqueue(async () => this.#quit(name, uuid, timestamp));
      });
  }

  /** Commands work again: the list of players is needed to trust later quits and deaths. */
  refresh(): void {
    this.#enqueue(async () => {
      if (!this.#trusted) this.online.replace((await this.#options.game.players()).players);
    });
  }

  async settled(): Promise<void> {
    await this.#departures;
    await this.#queue;
  }

  #enqueue(work: () => Promise<void>): boolean {
    const { log, onLost } = this.#options;
    if (this.#waiting >= MAX_WAITING) {
      onLost(1);
      return false;
    }
    this.#waiting += 1;
    this.#queue = this.#queue
      .then(work)
      .catch((error) => log.debug("an event could not be completed", { reason: messageOf(error) }))
      .finally(() => {
        this.#waiting -= 1;
      });
    return true;
  }

  async #receive(fact: LogFact, timestamp: number): Promise<void> {
    switch (fact.kind) {
      case "uuid":
        if (this.#uuids.size >= MAX_UUIDS) this.#uuids.clear();
        this.#uuids.set(fact.player.toLowerCase(), fact.uuid);
        return;
      case "version":
        this.version = fact.version;
        return;
      case "started":
        this.#doubtful.clear();
        if (!this.#trusted) this.online.replace([]);
        return;
      case "chat": {
        const { player, message } = fact;
        this.#emit("player_chat", timestamp, { player, message });
        return;
      }
      case "join":
        if (!this.#trusted) await this.#joinByLog(fact.player, timestamp);
        return;
      case "quit":
        this.#countLeaving(fact.player, -1);
        if (!this.#trusted) this.#quitByLog(fact.player, timestamp);
        return;
      case "death":
        await this.#death(fact, timestamp);
    }
  }

  async #joinByLog(player: string, timestamp: number): Promise<void> {
    const { canAsk, log } = this.#options;
    let uuid = this.#uuids.get(player.toLowerCase()) ?? null;
    if (canAsk()) {
      const listed = await this.#listed(player);
      if (listed === false) {
        log.warn("the log says that a player joined, the server does not", { player });
        if (this.#doubtful.size >= MAX_UUIDS) this.#doubtful.clear();
        const join = { eventType: "player_join" as const, timestamp, data: { player, uuid } };
        this.#doubtful.set(player.toLowerCase(), [join]);
        return;
      }
      uuid = listed?.uuid ?? uuid;
    }
    this.#join(player, uuid, timestamp);
  }

  /** A quit of a player who is not online is forged, or from a plugin. */
  #quitByLog(player: string, timestamp: number): void {
    const wanted = player.toLowerCase();
    const doubtful = this.#doubtful.get(wanted);
    if (doubtful !== undefined && !this.online.has(player)) {
      this.#doubtful.delete(wanted);
      this.online.add({ name: player, uuid: this.#uuids.get(wanted) ?? null });
      for (const event of doubtful) this.#options.onEvent(event);
    }
    if (this.online.has(player)) this.#quit(player, null, timestamp);
  }

  #countLeaving(player: string, change: number): void {
    const wanted = player.toLowerCase();
    const count = (this.#leaving.get(wanted) ?? 0) + change;
    if (count === 0) this.#leaving.delete(wanted);
    else this.#leaving.set(wanted, count);
  }

  /** False if the server lists others only; undefined if it cannot be asked, or if the player has left meanwhile. */
  async #listed(player: string): Promise<{ uuid: string | null } | false | undefined> {
    const { game, readLog } = this.#options;
    const wanted = player.toLowerCase();
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        if (attempt > 0) await delay(TICK_MS);
        const { players } = await game.players();
        const found = players.find(({ name }) => name.toLowerCase() === wanted);
        if (found !== undefined) return found;
        await readLog();
        if (this.#leaving.has(wanted)) return undefined;
      }
      return false;
    } catch {
      return undefined;
    }
  }

  #join(player: string, uuid: string | null, timestamp: number): void {
    this.#doubtful.delete(player.toLowerCase());
    if (this.online.has(player)) return;
    this.online.add({ name: player, uuid });
    this.#emit("player_join", timestamp, { player, uuid });
  }

  #quit(player: string, uuid: string | null, timestamp: number): void {
    const known = this.online.remove(player);
    this.#emit("player_quit", timestamp, { player, uuid: uuid ?? known?.uuid ?? null });
  }

  async #death(fact: LogFact & { kind: "death" }, timestamp: number): Promise<void> {
    const { player, cause, killer, sure } = fact;
    const by = killer === undefined ? {} : { killer };
    const doubtful = this.#doubtful.get(player.toLowerCase());
    if (sure && doubtful !== undefined && doubtful.length < MAX_DOUBTFUL_EVENTS) {
      const data = { player, cause, location: null, ...by };
      doubtful.push({ eventType: "player_death", timestamp, data });
    }
    if (!this.online.has(player)) return;
    const canAsk = this.#options.canAsk();
    if (!sure && !(canAsk && (await this.#isDead(player)))) return;
    const location = canAsk ? await this.#deathPlace(player) : null;
    this.#emit("player_death", timestamp, { player, cause, location, ...by });
  }

  async #isDead(player: string): Promise<boolean> {
    const health = await this.#read(player, "Health");
    return typeof health === "number" && health <= 0;
  }

  /** 1.19 and later store the place; before, the body is still there. */
  async #deathPlace(player: string): Promise<Location | null> {
    const last = await this.#read(player, "LastDeathLocation");
    if (typeof last === "object" && !Array.isArray(last)) {
      return toLocation(last.pos, last.dimension);
    }
    if (!(await this.#isDead(player))) return null;
    return toLocation(await this.#read(player, "Pos"), await this.#read(player, "Dimension"));
  }

  async #read(player: string, path: string) {
    try {
      const answer = await this.#options.game.own(`data get entity ${player} ${path}`);
      return entityData(answer)[0]?.data;
    } catch {
      return undefined;
    }
  }

  #emit<T extends EventType>(eventType: T, timestamp: number, data: EventData<T>): void {
    this.#options.onEvent({ eventType, timestamp, data });
  }
}

function toLocation(pos: unknown, world: unknown): Location | null {
  if (!Array.isArray(pos) || typeof world !== "string") return null;
  const [x, y, z] = pos as unknown[];
  return typeof x === "number" && typeof y === "number" && typeof z === "number"
    ? { world, x, y, z }
    : null;
}
