import { Computer, type ComputerOptions } from "./computer.js";
import type { CpuClock } from "./execution-timer.js";
import { defaultHttpRules, type HttpRule } from "./http/address-rules.js";
import { TICK_MS } from "./timers.js";

export interface WorldOptions {
  /** `driven`: ticks come only from `tick` and `advance`. `real`: twenty a second. @default "driven" */
  readonly time?: "driven" | "real";
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

const DRIVEN_CPU: CpuClock = { instructionsPerMs: 10_000 };

/** A Minecraft world with nothing in it but computers. */
export class World {
  /** Rules are read at each connection, so they may be replaced at any time. */
  httpRules: readonly HttpRule[];
  readonly minecraftVersion: string;
  readonly #options: WorldOptions;
  readonly #computers: Computer[] = [];
  readonly #realTicker: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.httpRules = options.httpRules ?? defaultHttpRules;
    this.minecraftVersion = options.minecraftVersion ?? "1.20.1";
    if (options.time === "real") this.#realTicker = setInterval(() => this.#tickOnce(), TICK_MS);
  }

  /** Ticks since the world began. */
  get ticks(): number {
    return this.#ticks;
  }

  /** Milliseconds since 1970: what os.epoch("utc") says. */
  get realTimeMs(): number {
    return Date.now();
  }

  get computers(): readonly Computer[] {
    return this.#computers;
  }

  /** Puts a computer in the world. It is off. */
  computer(options: ComputerOptions = {}): Computer {
    const id = options.id ?? Math.max(-1, ...this.#computers.map((other) => other.id)) + 1;
    const computer = new Computer(this, {
      ...options,
      id,
      version: options.version ?? this.#options.version ?? "1.113.1",
      cpuClock: options.cpuClock ?? this.#options.cpuClock ?? this.#defaultCpuClock(),
    });
    this.#computers.push(computer);
    return computer;
  }

  /** Lets ticks pass at once; after each, every computer runs until it has nothing left to do. */
  tick(count = 1): void {
    for (let index = 0; index < count; index++) {
      this.#tickOnce();
      for (const computer of this.#computers) computer.drain();
    }
  }

  /** Lets game time pass, with a turn for the network after every tick. */
  async advance(milliseconds: number): Promise<void> {
    for (let left = Math.ceil(milliseconds / TICK_MS); left > 0; left--) {
      this.tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Ends every computer and connection. */
  close(): void {
    clearInterval(this.#realTicker);
    for (const computer of this.#computers) computer.dispose();
  }

  #tickOnce(): void {
    this.#ticks++;
    for (const computer of this.#computers) computer.onTick();
  }

  #defaultCpuClock(): CpuClock {
    return this.#options.time === "real" ? "real" : DRIVEN_CPU;
  }
}

/** A new, empty world. Close it when done. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  return new World(options);
}
