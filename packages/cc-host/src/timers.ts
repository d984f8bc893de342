export const TICK_MS = 50;

export class Timers {
  readonly #due = new Map<number, number>();
  #nextId = 0;

  get active(): number {
    return this.#due.size;
  }

  /** Rounded to the nearest tick, but never earlier than the next one. */
  start(seconds: number, nowTicks: number): number {
    const ticks = Math.max(1, Math.round((seconds * 1_000) / TICK_MS));
    const id = this.#nextId++;
    this.#due.set(id, nowTicks + ticks);
    return id;
  }

  cancel(id: number): void {
    this.#due.delete(id);
  }

  /** The game fires timers of one tick in any order, so newest first here: no program should rely on the other. */
  takeDue(nowTicks: number): number[] {
    const due = [...this.#due]
      .filter(([, tick]) => tick <= nowTicks)
      .sort(([first, a], [second, b]) => a - b || second - first)
      .map(([id]) => id);
    for (const id of due) this.#due.delete(id);
    return due;
  }

  clear(): void {
    this.#due.clear();
  }
}
