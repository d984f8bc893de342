import { randomUUID } from "node:crypto";

export interface FakePlayer {
  name: string;
  uuid: string;
  health: number;
  foodLevel: number;
  position: [number, number, number];
  dimension: string;
  gameType: number;
  inventory: string[];
  equipment?: string;
  lastDeath?: { pos: [number, number, number]; dimension: string };
  messages: string[];
}

export interface FakeEntity {
  type: string;
  name: string;
  position: [number, number, number];
  dimension: string;
}

export interface FakeVersion {
  name: string;
  tickQuery: boolean;
  inlinePredicates: boolean;
  lastDeathLocation: boolean;
}

export const versions = {
  old: {
    name: "1.16.5",
    tickQuery: false,
    inlinePredicates: false,
    lastDeathLocation: false,
  },
  middle: {
    name: "1.20.4",
    tickQuery: true,
    inlinePredicates: false,
    lastDeathLocation: true,
  },
  new: {
    name: "1.21.11",
    tickQuery: true,
    inlinePredicates: true,
    lastDeathLocation: true,
  },
} satisfies Record<string, FakeVersion>;

export class FakeWorld {
  readonly players: FakePlayer[] = [];
  readonly entities: FakeEntity[] = [];
  readonly commands: string[] = [];
  /** By dimension and position; air elsewhere. */
  readonly blocks = new Map<string, string>();
  maxPlayers = 20;
  dayTime = 6_123;
  gameTime = 100_000;
  weather: "clear" | "rain" | "thunder" = "clear";
  averageTickMs = 12.5;
  version: FakeVersion = versions.new;
  isBukkit = false;

  addPlayer(name: string, more: Partial<FakePlayer> = {}): FakePlayer {
    const player: FakePlayer = {
      name,
      uuid: randomUUID(),
      health: 20,
      foodLevel: 20,
      position: [0.5, 64, 0.5],
      dimension: "minecraft:overworld",
      gameType: 0,
      inventory: [],
      messages: [],
      ...more,
    };
    this.players.push(player);
    return player;
  }

  removePlayer(name: string): void {
    const index = this.players.findIndex((player) => player.name === name);
    if (index >= 0) this.players.splice(index, 1);
  }

  player(name: string): FakePlayer | undefined {
    const wanted = name.toLowerCase();
    return this.players.find((player) => player.name.toLowerCase() === wanted);
  }
}
