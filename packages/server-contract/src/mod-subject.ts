import type { EventType } from "@ccbridge/protocol/minecraft";
import type { Component } from "./component.js";
import type { FakeBridge } from "./fake-bridge.js";

export interface Place {
  x: number;
  y: number;
  z: number;
}

interface PlayerState {
  health: number;
  foodLevel: number;
  position: Place;
  world: string;
  gameMode: string;
  inventory: { type: string; quantity: number }[];
}

export interface Thing {
  type: string;
  location: Place & { world: string };
}

interface Surroundings {
  blocks: Thing[];
  entities: Thing[];
}

type Awaitable<T> = T | Promise<T>;

/** The game behind a mod. It may be another process, so everything may take a while. */
export interface Game {
  readonly events: readonly EventType[];
  readonly worlds: readonly string[];
  readonly readsBlocks: boolean;
  /** Host chats, dies or digs; Guest joins or quits. Gives what the event must say. */
  happen(type: EventType, text: string): Awaitable<Readonly<Record<string, unknown>>>;
  commands(): Awaitable<readonly string[]>;
  online(names: readonly string[]): Awaitable<void>;
  setPlayer(name: string, state: PlayerState): Awaitable<string>;
  host(): Awaitable<{
    message: string | undefined;
    location: Place & { world: string };
    quantity: number;
  }>;
  setServer(state: {
    time: number;
    weather: string;
    tickMs: number;
  }): Awaitable<{ version: string; weather: string | null; tps: number | null }>;
  surround(things: Surroundings): Awaitable<void>;
}

export interface Mod extends Component {
  readonly bridge: FakeBridge;
  readonly lines: readonly string[];
  readonly token: string;
  readonly game: Game;
  enable(events: readonly EventType[]): Promise<void>;
  allow(patterns: readonly string[]): Promise<void>;
  logOfStart(settings: {
    name: string;
    events: readonly EventType[];
    isReachable: boolean;
  }): Promise<string>;
}
