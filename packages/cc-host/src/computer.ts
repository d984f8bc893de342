import {
  type ComputerKind,
  type ComputerOptions,
  type ComputerStats,
  type ComputerWorld,
  type Extension,
  newCounters,
  SCREEN_SIZES,
} from "./computer-options.js";
import { Conditions } from "./conditions.js";
import { EventQueue, type QueuedEvent } from "./event-queue.js";
import { type CpuClock, ExecutionTimer } from "./execution-timer.js";
import { DiskAccess } from "./fs/disk-access.js";
import { DEFAULT_CAPACITY, FileSystem } from "./fs/file-system.js";
import { fsFunctions } from "./fs/fs-api.js";
import { FileHandles } from "./fs/handles.js";
import { ComputerNetwork } from "./http/computer-network.js";
import type { NetworkHost } from "./http/network.js";
import { Keyboard } from "./keyboard.js";
import { Machine, type RunOutcome } from "./machine.js";
import { MainThread } from "./main-thread.js";
import { osFunctions } from "./os-api.js";
import { type Peripheral, Peripherals } from "./peripherals.js";
import { Redstone, type Side } from "./redstone.js";
import { RunLoop } from "./run-loop.js";
import { systemFunctions } from "./system-api.js";
import { Terminal } from "./terminal.js";
import { TICK_MS, Timers } from "./timers.js";
import { type Features, featuresOf } from "./version.js";
import type { LuaValue } from "./vm/literal.js";
import type { HostFunctions } from "./vm/lua-vm.js";

const START_DELAY_TICKS = 50;
const DRAIN_MS = 1_000;
const DEFAULT_WAIT_MS = 60_000;

export class Computer {
  readonly id: number;
  readonly kind: ComputerKind;
  readonly version: string;
  readonly advanced: boolean;
  readonly screen: Terminal;
  readonly redstone: Redstone;
  readonly peripherals: Peripherals;
  readonly fs: DiskAccess;
  readonly mainThread: MainThread;
  label: string | undefined;

  readonly #world: ComputerWorld;
  readonly #options: ComputerOptions;
  readonly #features: Features;
  readonly #disk: FileSystem;
  readonly #timers = new Timers();
  readonly #alarms = new Timers();
  readonly #queue = new EventQueue();
  readonly #handles = new FileHandles();
  readonly #network: ComputerNetwork;
  readonly #keyboard = new Keyboard();
  readonly #conditions = new Conditions();
  readonly #timer: ExecutionTimer;
  readonly #extensions: Extension[] = [];
  readonly #loop: RunLoop;
  #machine: Machine | undefined;
  #loaded = true;
  #wasOn = false;
  #startRequested = false;
  #powerRequest: "off" | "reboot" | undefined;
  #startedAtTick: number | undefined;
  #spentAtTickMs = 0;
  readonly #counters = newCounters();

  constructor(
    world: ComputerWorld,
    options: ComputerOptions & { id: number; version: string; cpuClock: CpuClock },
  ) {
    this.#world = world;
    this.#options = options;
    this.id = options.id;
    this.label = options.label;
    this.kind = options.kind ?? "computer";
    this.version = options.version;
    this.advanced = options.advanced === true || this.kind === "command";
    this.#features = featuresOf(this.version);
    this.screen = new Terminal(...SCREEN_SIZES[this.kind], this.advanced);
    this.#disk = new FileSystem(options.capacity ?? DEFAULT_CAPACITY, () => this.#epochMs());
    this.fs = new DiskAccess(this.#disk);
    this.redstone = new Redstone(() => this.queueEvent("redstone"));
    this.mainThread = new MainThread((name, ...args) => this.queueEvent(name, ...args));
    this.peripherals = new Peripherals(this.mainThread, (event, name) =>
      this.queueEvent(event, name),
    );
    this.#timer = new ExecutionTimer(
      options.cpuClock,
      () => {
        this.#counters.softAborts++;
      },
      () => world.whileComputing(),
    );
    const networkHost: NetworkHost = {
      version: this.version,
      rules: () => world.httpRules,
      features: this.#features,
      websocketsEnabled: options.websockets ?? true,
      queueEvent: (name, ...args) => void this.queueEvent(name, ...args),
      changed: () => this.#conditions.check(),
    };
    this.#network = new ComputerNetwork(networkHost, this.#handles);
    this.#loop = new RunLoop({
      isDriven: () => world.isDriven,
      canRun: () => this.#loaded,
      start: () => this.#startIfAllowed(),
      step: () => this.#step(),
      isWaiting: () => this.#queue.length > 0 || (this.isOn && !this.#keyboard.isEmpty),
      ran: () => this.#conditions.check(),
    });
    for (const [path, content] of Object.entries(options.files ?? {})) this.fs.write(path, content);
  }

  extend(extension: Extension): void {
    this.#extensions.push(extension);
  }

  get isOn(): boolean {
    return this.#machine !== undefined;
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  get isBusy(): boolean {
    return (
      this.#queue.length > 0 ||
      this.#loop.isScheduled ||
      !this.#keyboard.isEmpty ||
      this.#network.isBusy
    );
  }

  get awaitsNetwork(): boolean {
    return this.#network.isUnsettled;
  }

  probe(all: boolean): void {
    this.#network.probe(all);
  }

  get hasUsedTick(): boolean {
    return this.#timer.spentMs - this.#spentAtTickMs >= TICK_MS;
  }

  get stats(): ComputerStats {
    return {
      ...this.#counters,
      timersActive: this.#timers.active,
      websocketsOpen: this.#network.websocketsOpen,
      queueLength: this.#queue.length,
    };
  }

  turnOn(): void {
    if (this.isOn || !this.#loaded) return;
    this.#startRequested = true;
    this.#loop.schedule();
  }

  shutdown(): void {
    if (!this.isOn) return;
    this.#stop();
    this.#conditions.check();
  }

  reboot(): void {
    this.shutdown();
    this.turnOn();
  }

  terminate(): void {
    this.queueEvent("terminate");
  }

  /** Chunk unload: only the disk and the power state survive. */
  unload(): void {
    if (!this.#loaded) return;
    this.#wasOn = this.isOn || this.#startRequested;
    this.#stop();
    this.#startRequested = false;
    this.#loaded = false;
    this.#conditions.check();
  }

  load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    this.#startedAtTick = undefined;
    this.screen.reset();
    if (this.#wasOn && this.#features.restartsAfterUnload) this.turnOn();
  }

  type(text: string): void {
    if (!this.isOn && !this.#startRequested) return;
    this.#keyboard.type(text);
    this.#loop.schedule();
  }

  pressKey(code: number): void {
    this.queueEvent("key", code, false);
    this.queueEvent("key_up", code);
  }

  paste(text: string): void {
    this.queueEvent("paste", text);
  }

  attach(side: Side, peripheral: Peripheral): void {
    this.peripherals.attach(side, peripheral);
  }

  detach(side: Side): void {
    this.peripherals.detach(side);
  }

  /** False if the computer is off or its queue is full; the event is then lost. */
  queueEvent(name: string, ...args: LuaValue[]): boolean {
    return this.#enqueue({ name, payload: args });
  }

  until(condition: (computer: this) => boolean, timeoutMs = DEFAULT_WAIT_MS): Promise<void> {
    return this.#conditions.wait(
      () => condition(this),
      timeoutMs,
      () =>
        `computer ${this.id} did not reach the state within ${timeoutMs} ms; its screen:\n${this.screen.text()}`,
    );
  }

  idle(timeoutMs = DEFAULT_WAIT_MS): Promise<void> {
    return this.until(() => !this.isBusy, timeoutMs);
  }

  collectGarbage(): void {
    this.#machine?.collectGarbage();
  }

  onTick(): void {
    if (!this.#loaded) return;
    this.#spentAtTickMs = this.#timer.spentMs;
    if (this.isOn) {
      const uptime = this.#uptimeTicks();
      for (const id of this.#timers.takeDue(uptime)) this.queueEvent("timer", id);
      for (const id of this.#alarms.takeDue(uptime)) this.queueEvent("alarm", id);
      this.mainThread.tick();
      for (const extension of this.#extensions) extension.tick();
    }
    if (this.#startRequested) this.#loop.schedule();
  }

  drain(): void {
    this.#loop.run(DRAIN_MS, () => this.hasUsedTick);
  }

  dispose(): void {
    this.#stop();
    this.#loaded = false;
    this.#loop.cancel();
    this.#conditions.fail(new Error("the world was closed"));
  }

  #enqueue(event: QueuedEvent): boolean {
    if (!this.isOn || this.#powerRequest !== undefined) return false;
    const taken = this.#queue.push(event);
    if (!taken) this.#counters.eventsDropped++;
    this.#loop.schedule();
    return taken;
  }

  #step(): boolean {
    if (!this.isOn) return false;
    if (this.#queue.length === 0) {
      for (const [name, ...args] of this.#keyboard.next())
        this.#queue.push({ name, payload: args });
    }
    const event = this.#queue.shift();
    if (event === undefined) return false;
    this.#deliver(event);
    this.#startIfAllowed();
    return true;
  }

  #startIfAllowed(): void {
    if (!this.#startRequested || this.isOn) return;
    const since = this.#startedAtTick;
    if (since !== undefined && this.#world.ticks - since < START_DELAY_TICKS) return;
    this.#startRequested = false;
    this.#boot();
  }

  #boot(): void {
    this.#startedAtTick = this.#world.ticks;
    this.#counters.boots++;
    this.screen.reset();
    this.#queue.clear();
    const hooksYield = this.#options.hooksYield ?? true;
    const machine = new Machine(this.#hostFunctions(), this.#timer, hooksYield);
    this.#machine = machine;
    this.#resume(() => machine.boot());
  }

  #deliver(event: QueuedEvent): void {
    const machine = this.#machine;
    if (machine === undefined) return;
    this.#counters.eventsHandled++;
    this.#resume(() => machine.deliver(event));
  }

  #resume(run: () => RunOutcome): void {
    let outcome: RunOutcome;
    try {
      outcome = run();
    } catch (error) {
      this.#stop();
      this.#conditions.fail(error as Error);
      throw error;
    }
    if (outcome.state === "aborted") {
      this.#counters.hardAborts++;
      this.#crash("Too long without yielding");
    } else if (this.#powerRequest !== undefined) {
      const again = this.#powerRequest === "reboot";
      this.#stop();
      this.#startRequested = again;
    } else if (outcome.state === "ended") this.#crash(outcome.message);
    else if (outcome.woken) this.#counters.wakeups++;
  }

  #crash(reason: string): void {
    this.#stop();
    this.screen.showCrash(reason);
  }

  #stop(): void {
    this.#powerRequest = undefined;
    this.#network.drop();
    this.#handles.closeAll();
    this.#queue.clear();
    this.#keyboard.clear();
    this.#timers.clear();
    this.#alarms.clear();
    this.mainThread.clear();
    this.redstone.resetOutputs();
    for (const extension of this.#extensions) extension.reset();
    this.#machine?.close();
    this.#machine = undefined;
  }

  /** Computing takes time even where ticks stand still. */
  #epochMs(): number {
    const computed = this.#world.isDriven || this.#options.cpuClock !== "real";
    return Math.floor(this.#world.realTimeMs + (computed ? this.#timer.spentMs : 0));
  }

  #uptimeTicks(): number {
    return this.#world.ticks - (this.#startedAtTick ?? this.#world.ticks);
  }

  #hostFunctions(): HostFunctions {
    return {
      ...systemFunctions(
        {
          kind: this.kind,
          features: this.#features,
          version: this.version,
          minecraftVersion: this.#world.minecraftVersion,
          http: this.#options.http ?? true,
          defaultSettings: this.#options.defaultSettings ?? "",
        },
        (name, reference) => this.#enqueue({ name, payload: reference }),
      ),
      ...osFunctions({
        id: this.id,
        labelled: this,
        timers: this.#timers,
        alarms: this.#alarms,
        uptimeTicks: () => this.#uptimeTicks(),
        worldTicks: () => this.#world.ticks,
        realTimeMs: () => this.#epochMs(),
        requestPower: (state) => {
          this.#powerRequest = state;
        },
      }),
      ...fsFunctions(this.#disk, this.#handles, this.#features),
      ...this.#handles.hostFunctions(),
      ...this.screen.hostFunctions(),
      ...this.redstone.hostFunctions(),
      ...this.peripherals.hostFunctions(),
      ...this.#network.hostFunctions(),
      ...Object.assign({}, ...this.#extensions.map((extension) => extension.functions)),
    };
  }
}
