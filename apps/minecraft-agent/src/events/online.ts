interface Online {
  name: string;
  uuid: string | null;
}

export class OnlinePlayers {
  readonly #players = new Map<string, Online>();

  get size(): number {
    return this.#players.size;
  }

  has(name: string): boolean {
    return this.#players.has(name.toLowerCase());
  }

  get(name: string): Online | undefined {
    return this.#players.get(name.toLowerCase());
  }

  add(player: Online): void {
    this.#players.set(player.name.toLowerCase(), player);
  }

  remove(name: string): Online | undefined {
    const player = this.get(name);
    this.#players.delete(name.toLowerCase());
    return player;
  }

  replace(players: readonly Online[]): void {
    this.#players.clear();
    for (const player of players) this.add(player);
  }
}
