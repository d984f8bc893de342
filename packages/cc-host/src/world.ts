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
  /** `driven`: only `tick` and `advance` make ticks. `real`: the wall clock does. @default "driven" */
  readonly time?: "driven" | "real";
  /** In real time; a higher rate makes timers fire sooner. @default 20, as the game */
  readonly ticksPerSecond?: number;
  /** The server's `[[http.rules]]`. @default private hosts denied, all others allowed */
  readonly httpRules?: readonly HttpRule[];
  /** Default CC:Tweaked version of computers. @default "1.113.1" */
  readonly version?: string;
  readonly minecraftVersion?: string;
  /** For the seven-second limit. @default 10000 instructions per millisecond when driven, the wall clock when real */
  readonly cpuClock?: CpuClock;
}

export interface PlacedComputerOptions extends ComputerOptions {
  readonly turtle?: TurtleOptions;
  readonly commands?: CommandOptions;
}

export interface PlacedComputer extends Computer {
  readonly turtle: Turtle | undefined;
  readonly commands: Commands | undefined;
}

/** Event loop turns in which a message within this process usually arrives and is answered. */
const SETTLE_TURNS = 3;
const PROBE_TURNS = 5;
const MANY_TURNS = 30;
const PROBE_TICKS = 20;
const SETTLE_MS = 50;
/** Total real time to wait for settling: some peers never answer. */
const PATIENCE_MS = 2_000;
const DRIVEN_CPU: CpuClock = { instructionsPerMs: 10_000 };

export class World {
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

  get ticks(): number {
    return this.#ticks;
  }

  /** In driven time: the world's start plus its ticks. */
  get realTimeMs(): number {
    const now = this.isDriven ? this.#beganAtMs + this.#ticks * TICK_MS : Date.now();
    return now + this.#clockShiftMs;
  }

  /** As a time server or a resumed machine does. Ticks do not change. */
  shiftClock(milliseconds: number): void {
    this.#clockShiftMs += milliseconds;
  }

  get isDriven(): boolean {
    return this.#options.time !== "real";
  }

  get computers(): readonly Computer[] {
    return this.#computers;
  }

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

  tick(count = 1): void {
    for (let index = 0; index < count; index++) {
      this.#tickOnce();
      for (const computer of this.#computers) computer.drain();
    }
  }

  /** Between ticks, connections and messages in transit get the real time they need. */
  async advance(milliseconds: number): Promise<void> {
    await this.#settle(true);
    for (let left = Math.ceil(milliseconds / TICK_MS); left > 0; left--) {
      this.tick();
      await this.#settle();
    }
  }

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

  close(): void {
    clearInterval(this.#realTicker);
    for (const computer of this.#computers) computer.dispose();
  }

  // Waits in real time for messages in transit, so that the game's deadlines do not pass meanwhile:
  // the other end uses the wall clock.
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
   * Ticks continue while a computer computes, as in the game: due events are queued, or dropped if
   * the queue is full. No Lua runs here.
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

function pocketBody(): Extension {
  const nothing = () => new Results(false, "No item to equip");
  return {
    functions: { "pocket.equipBack": nothing, "pocket.unequipBack": nothing },
    tick: () => {},
    reset: () => {},
  };
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  return new World(options);
}
