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

export interface Game {
  readonly events: readonly EventType[];
  readonly worlds: readonly string[];
  readonly readsBlocks: boolean;
  readonly patterns: readonly string[];
  readonly commands: readonly string[];
  /** Host chats, dies or digs; Guest joins or quits. Gives what the event must say. */
  happen(type: EventType, text: string): Readonly<Record<string, unknown>>;
  online(names: readonly string[]): void;
  setPlayer(name: string, state: PlayerState): string;
  host(): { message: string | undefined; location: Place & { world: string }; quantity: number };
  setServer(state: { time: number; weather: string; tickMs: number }): {
    version: string;
    weather: string | null;
    tps: number | null;
  };
  surround(things: Surroundings): void;
}

export interface Mod extends Component {
  readonly bridge: FakeBridge;
  readonly lines: readonly string[];
  readonly token: string;
  readonly game: Game;
  enable(events: readonly EventType[]): Promise<void>;
  logOfStart(settings: { name: string; events: readonly EventType[] }): Promise<string>;
}
