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

/** A tick: after it a player who joined is in the list. */
const TICK_MS = 60;
const MAX_WAITING = 20_000;
const MAX_UUIDS = 1_000;

export interface GameEvent<T extends EventType = EventType> {
  eventType: T;
  timestamp: number;
  data: EventData<T>;
}

export interface EventWatcherOptions {
  game: Game;
  log: Log;
  /** Whether to ask the server about what the log says. False when it takes no commands now. */
  canAsk(): boolean;
  onEvent(event: GameEvent): void;
  /** Called when events had to be let go. */
  onLost(count: number): void;
  chat?: RegExp | undefined;
}

/**
 * Makes events of log lines and of what the management protocol tells. One thing after another: a death
 * that waits for the server's answer is not overtaken by the chat behind it.
 */
export class EventWatcher {
  readonly #options: EventWatcherOptions;
  readonly online = new OnlinePlayers();
  readonly #uuids = new Map<string, string>();
  /** Joins that the server did not confirm, by name: somebody who left at once, or nobody. */
  readonly #doubtful = new Map<string, number>();
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Joins and quits come from one source only. */
  #trusted = false;
  version: string | undefined;

  constructor(options: EventWatcherOptions) {
    this.#options = options;
  }

  /** Takes a line of the log. */
  line(raw: string): void {
    const line = parseLogLine(raw);
    const fact = line === undefined ? undefined : factOf(line, this.#options.chat);
    if (fact === undefined) return;
    // The time of arrival: the log knows only the time of day.
    const timestamp = Date.now();
    this.#enqueue(() => this.#take(fact, timestamp));
  }

  /** The management protocol is connected (again): it knows who is online. */
  managed(players: readonly ListedPlayer[]): void {
    this.#enqueue(async () => {
      this.#trusted = true;
      this.online.replace(players);
    });
  }

  /** The management protocol is gone; the log has to do. */
  unmanaged(): void {
    this.#enqueue(async () => {
      this.#trusted = false;
    });
  }

  joined(player: ListedPlayer): void {
    const timestamp = Date.now();
    this.#enqueue(async () => this.#join(player.name, player.uuid, timestamp));
  }

  left(player: ListedPlayer): void {
    const timestamp = Date.now();
    this.#enqueue(async () => this.#quit(player.name, player.uuid, timestamp));
  }

  /** Commands work (again): asks who is online, so that quits and deaths of earlier players are known. */
  refresh(): void {
    this.#enqueue(async () => {
      if (!this.#trusted) this.online.replace((await this.#options.game.players()).players);
    });
  }

  /** Resolves when everything that came so far is told. */
  settled(): Promise<void> {
    return this.#queue;
  }

  #enqueue(work: () => Promise<void>): void {
    const { log, onLost } = this.#options;
    if (this.#waiting >= MAX_WAITING) {
      onLost(1);
      return;
    }
    this.#waiting += 1;
    this.#queue = this.#queue
      .then(work)
      .catch((error) => log.debug("an event could not be completed", { reason: messageOf(error) }))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #take(fact: LogFact, timestamp: number): Promise<void> {
    switch (fact.kind) {
      case "uuid":
        if (this.#uuids.size >= MAX_UUIDS) this.#uuids.clear();
        this.#uuids.set(fact.player.toLowerCase(), fact.uuid);
        return;
      case "version":
        this.version = fact.version;
        return;
      case "started":
        if (!this.#trusted) this.online.replace([]);
        return;
      case "chat": {
        const { player, message } = fact;
        this.#tell("player_chat", timestamp, { player, message });
        return;
      }
      case "join":
        if (!this.#trusted) await this.#joinByLog(fact.player, timestamp);
        return;
      case "quit":
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
        this.#doubtful.set(player.toLowerCase(), timestamp);
        return;
      }
      uuid = listed?.uuid ?? uuid;
    }
    this.#join(player, uuid, timestamp);
  }

  /** Whoever is not online cannot leave: a line that says so is forged, or from a plugin. */
  #quitByLog(player: string, timestamp: number): void {
    const doubtful = this.#doubtful.get(player.toLowerCase());
    this.#doubtful.delete(player.toLowerCase());
    const uuid = this.#uuids.get(player.toLowerCase()) ?? null;
    // Gone before the server could be asked.
    if (doubtful !== undefined) this.#join(player, uuid, doubtful);
    if (this.online.has(player)) this.#quit(player, null, timestamp);
  }

  /** The player as listed; false if the server lists others only; undefined if it cannot be asked. */
  async #listed(player: string): Promise<{ uuid: string | null } | false | undefined> {
    const { game } = this.#options;
    const wanted = player.toLowerCase();
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        if (attempt > 0) await delay(TICK_MS);
        const { players } = await game.players();
        const found = players.find(({ name }) => name.toLowerCase() === wanted);
        if (found !== undefined) return found;
      }
      return false;
    } catch {
      return undefined;
    }
  }

  #join(player: string, uuid: string | null, timestamp: number): void {
    if (this.online.has(player)) return;
    this.online.add({ name: player, uuid });
    this.#tell("player_join", timestamp, { player, uuid });
  }

  #quit(player: string, uuid: string | null, timestamp: number): void {
    const known = this.online.remove(player);
    this.#tell("player_quit", timestamp, { player, uuid: uuid ?? known?.uuid ?? null });
  }

  async #death(fact: LogFact & { kind: "death" }, timestamp: number): Promise<void> {
    const { player, cause, killer, sure } = fact;
    if (!this.online.has(player)) return;
    const canAsk = this.#options.canAsk();
    if (!sure && !(canAsk && (await this.#isDead(player)))) return;
    const location = canAsk ? await this.#deathPlace(player) : null;
    this.#tell("player_death", timestamp, {
      player,
      cause,
      location,
      ...(killer === undefined ? {} : { killer }),
    });
  }

  async #isDead(player: string): Promise<boolean> {
    const health = await this.#read(player, "Health");
    return typeof health === "number" && health <= 0;
  }

  /** 1.19 and later remember the place; before, the body is still there. */
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

  #tell<T extends EventType>(eventType: T, timestamp: number, data: EventData<T>): void {
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
