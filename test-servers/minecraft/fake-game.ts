import { EventEmitter } from "node:events";

interface Place {
  x: number;
  y: number;
  z: number;
}

interface Stack {
  name: string;
  count: number;
}

/** A player, as in flying-squid. */
export class FakePlayer extends EventEmitter {
  readonly username: string;
  readonly uuid: string;
  health = 20;
  food = 20;
  gameMode = 0;
  position: Place = { x: 0, y: 64, z: 0 };
  readonly heard: string[] = [];
  readonly inventory = {
    slots: [] as (Stack | null)[],
    updateSlot: (slot: number, stack: Stack) => {
      this.inventory.slots[slot] = stack;
    },
  };

  constructor(username: string, uuid: string) {
    super();
    this.username = username;
    this.uuid = uuid;
  }

  chat(message: string): void {
    this.heard.push(message);
  }

  async teleport({ x, y, z }: Place): Promise<void> {
    this.position = { x, y, z };
  }

  updateHealth = (health: number): void => {
    this.health = health;
  };
}

const key = ({ x, y, z }: Place) => `${x},${y},${z}`;

/** The parts of a flying-squid game that the plugin uses. */
export class FakeGame extends EventEmitter {
  players: FakePlayer[] = [];
  entities: Record<string, { name: string; position: Place; username?: string }> = {};
  time: number | bigint = 0;
  readonly blocks = new Map<string, string>();
  readonly ran: string[] = [];
  readonly overworld = {
    getBlock: async (at: Place) => ({ name: this.blocks.get(key(at)) ?? "air" }),
  };
  readonly commands = {
    use: async (command: string) => {
      this.ran.push(command);
      if (command.startsWith("break")) throw new Error(`cannot ${command}`);
      return `did ${command}`;
    },
  };
  /** What the game's libraries would create. */
  readonly kit = {
    vector: (x: number, y: number, z: number): Place => ({ x, y, z }),
    item: (name: string, count: number): Stack | undefined =>
      ["stone", "diamond"].includes(name) ? { name, count } : undefined,
  };

  join(username: string, uuid: string): FakePlayer {
    const player = new FakePlayer(username, uuid);
    this.players.push(player);
    this.emit("newPlayer", player);
    player.emit("connected");
    return player;
  }

  quit(player: FakePlayer): void {
    this.players = this.players.filter((other) => other !== player);
    player.emit("disconnected");
  }

  put(at: Place, name: string): void {
    this.blocks.set(key(at), name);
  }
}
