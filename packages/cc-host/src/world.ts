import { setImmediate, setTimeout } from "node:timers/promises";
import { Computer } from "./computer.js";
import type { ComputerOptions, Extension } from "./computer-options.js";
import type { CpuClock } from "./execution-timer.js";
import { defaultHttpRules, type HttpRule } from "./http/address-rules.js";
import { TICK_MS } from "./timers.js";
import { featuresOf } from "./version.js";
import { Results } from "./vm/lua-vm.js";
import { BlockWorld } from "./world/blocks.js";
import { type CommandOptions, Commands } from "./world/commands.js";
import { Radio } from "./world/modems.js";
import { Turtle, type TurtleOptions } from "./world/turtle.js";

export interface WorldOptions {
  /** `driven`: ticks come only from `tick` and `advance`. `real`: by the wall clock. @default "driven" */
  readonly time?: "driven" | "real";
  /** In real time; more than the game has let timers come sooner. @default 20, as the game */
  readonly ticksPerSecond?: number;
  /** The server's `[[http.rules]]`. @default private hosts denied, all others allowed */
  readonly httpRules?: readonly HttpRule[];
  /** CC:Tweaked version of computers that name none. @default "1.113.1" */
  readonly version?: string;
  /** @default "1.20.1" */
  readonly minecraftVersion?: string;
  /**
   * How computers' run time is measured for the seven-second rule.
   * @default 10000 instructions per millisecond when driven, the wall clock when real
   */
  readonly cpuClock?: CpuClock;
}

export interface PlacedComputerOptions extends ComputerOptions {
  /** Where a turtle is and what it carries. */
  readonly turtle?: TurtleOptions;
  /** How a command computer's commands are answered. */
  readonly commands?: CommandOptions;
}

/** A computer with the body of its kind. */
export interface PlacedComputer extends Computer {
  /** The turtle, if it is one. */
  readonly turtle: Turtle | undefined;
  /** The command computer's commands, if it is one. */
  readonly commands: Commands | undefined;
}

/** Turns of the event loop in which a message within this process usually comes and is answered. */
const SETTLE_TURNS = 3;
/** Turns between two probes of the same messages. */
const PROBE_TURNS = 5;
/** Turns after which waiting is no longer a matter of turns. */
const MANY_TURNS = 30;
/** Ticks between checks for unsolicited messages. */
const PROBE_TICKS = 20;
/** Real time that a tick waits for computers that do not come to rest. */
const SETTLE_MS = 50;
/** Real time that ticks wait in all until everything has settled: some peers never answer. */
const PATIENCE_MS = 2_000;
const DRIVEN_CPU: CpuClock = { instructionsPerMs: 10_000 };

/** A Minecraft world with nothing in it but computers and the blocks that a test puts there. */
export class World {
  /** Rules are read at each connection, so they may be replaced at any time. */
  httpRules: readonly HttpRule[];
  readonly minecraftVersion: string;
  readonly blocks = new BlockWorld();
  readonly radio = new Radio();
  readonly #options: WorldOptions;
  readonly #computers: Computer[] = [];
  readonly #realTicker: NodeJS.Timeout | undefined;
  readonly #tickEveryMs: number;
  readonly #beganAtMs = Date.now();
  #clockShiftMs = 0;
  #ticks = 0;
  #tickedAt = performance.now();
  #patienceMs = PATIENCE_MS;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.httpRules = options.httpRules ?? defaultHttpRules;
    this.minecraftVersion = options.minecraftVersion ?? "1.20.1";
    this.#tickEveryMs = options.ticksPerSecond ? 1_000 / options.ticksPerSecond : TICK_MS;
    if (!this.isDriven) {
      this.#realTicker = setInterval(() => this.#tickOnce(), this.#tickEveryMs);
    }
  }

  /** Ticks since the world began. */
  get ticks(): number {
    return this.#ticks;
  }

  /**
   * Milliseconds since 1970 as far as the world is concerned. In driven time that is when the world
   * began plus its ticks, so that it stops when they do.
   */
  get realTimeMs(): number {
    const now = this.isDriven ? this.#beganAtMs + this.#ticks * TICK_MS : Date.now();
    return now + this.#clockShiftMs;
  }

  /** Sets the wall clock forward, or back, as a time server or a resumed machine does. Ticks do not change. */
  shiftClock(milliseconds: number): void {
    this.#clockShiftMs += milliseconds;
  }

  get isDriven(): boolean {
    return this.#options.time !== "real";
  }

  get computers(): readonly Computer[] {
    return this.#computers;
  }

  /** Puts a computer in the world. It is off. */
  computer(options: PlacedComputerOptions = {}): PlacedComputer {
    const id = options.id ?? Math.max(-1, ...this.#computers.map((other) => other.id)) + 1;
    const computer = new Computer(this, {
      ...options,
      id,
      version: options.version ?? this.#options.version ?? "1.113.1",
      cpuClock: options.cpuClock ?? this.#options.cpuClock ?? this.#defaultCpuClock(),
    });
    this.#computers.push(computer);
    return this.#place(computer, options);
  }

  /** Lets ticks pass at once; after each, every computer runs until it has nothing left to do. */
  tick(count = 1): void {
    for (let index = 0; index < count; index++) {
      this.#tickOnce();
      for (const computer of this.#computers) computer.drain();
    }
  }

  /** Lets game time pass; between ticks, connections and messages under way get the real time they need. */
  async advance(milliseconds: number): Promise<void> {
    await this.#settle(true);
    for (let left = Math.ceil(milliseconds / TICK_MS); left > 0; left--) {
      this.tick();
      await this.#settle();
    }
  }

  /** Lets game time pass until the condition is true; fails if it is not within the limit. */
  async advanceUntil(condition: () => boolean, limitMs = 60_000): Promise<void> {
    const end = this.#ticks + Math.ceil(limitMs / TICK_MS);
    await this.#settle(true);
    while (!condition()) {
      if (this.#ticks >= end) {
        const screens = this.#computers.map((computer) => computer.screen.text()).join("\n---\n");
        throw new Error(`not reached within ${limitMs} ms of game time; the screens:\n${screens}`);
      }
      this.tick();
      await this.#settle();
    }
  }

  /** Ends every computer and connection. */
  close(): void {
    clearInterval(this.#realTicker);
    for (const computer of this.#computers) computer.dispose();
  }

  /**
   * Lets real time pass until what is under way has arrived: the game's deadlines must not pass meanwhile.
   * At the other end the wall clock decides, and on a busy machine a message may take long.
   */
  async #settle(all = this.#ticks % PROBE_TICKS === 0): Promise<void> {
    for (const computer of this.#computers) computer.probe(all);
    for (let turn = 0; turn < SETTLE_TURNS; turn++) await setImmediate();
    const started = performance.now();
    for (let turn = 0; this.#isUnsettled(started); turn++) {
      if (performance.now() - started >= this.#patienceMs) {
        this.#patienceMs = 0;
        return;
      }
      await (turn < MANY_TURNS ? setImmediate() : setTimeout(1));
      if (turn % PROBE_TURNS === 0) for (const computer of this.#computers) computer.probe(false);
    }
    if (this.#computers.some((computer) => computer.isBusy)) {
      this.#patienceMs -= performance.now() - started;
    } else this.#patienceMs = PATIENCE_MS;
  }

  #isUnsettled(sinceMs: number): boolean {
    const isBusy = performance.now() - sinceMs < SETTLE_MS;
    return this.#computers.some(
      (computer) => computer.awaitsNetwork || (isBusy && computer.isBusy && !computer.hasUsedTick),
    );
  }

  #place(computer: Computer, options: PlacedComputerOptions): PlacedComputer {
    let turtle: Turtle | undefined;
    let commands: Commands | undefined;
    if (computer.kind === "turtle") {
      const { equippedQueries } = featuresOf(computer.version);
      const kind = { advanced: computer.advanced, equippedQueries };
      turtle = new Turtle(this.blocks, options.turtle ?? {}, kind, (name, ...args) =>
        computer.queueEvent(name, ...args),
      );
      computer.extend(turtle);
    } else if (computer.kind === "command") {
      commands = new Commands(this.blocks, options.commands ?? {}, computer.mainThread);
      computer.extend(commands);
    } else if (computer.kind === "pocket") computer.extend(pocketBody());
    return Object.assign(computer, { turtle, commands });
  }

  /**
   * A computer has been computing for a while. Ticks continue meanwhile, as they do in the game: what is
   * due is queued, or dropped if the queue is full. No Lua runs here.
   */
  whileComputing(): void {
    if (!this.isDriven && performance.now() - this.#tickedAt >= this.#tickEveryMs) this.#tickOnce();
  }

  #tickOnce(): void {
    this.#tickedAt = performance.now();
    this.#ticks++;
    for (const computer of this.#computers) computer.onTick();
  }

  #defaultCpuClock(): CpuClock {
    return this.isDriven ? DRIVEN_CPU : "real";
  }
}

/** A pocket computer has nothing but the slot on its back, which is empty. */
function pocketBody(): Extension {
  const nothing = () => new Results(false, "No item to equip");
  return {
    functions: { "pocket.equipBack": nothing, "pocket.unequipBack": nothing },
    tick: () => {},
    reset: () => {},
  };
}

/** A new, empty world. Close it when done. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  return new World(options);
}
