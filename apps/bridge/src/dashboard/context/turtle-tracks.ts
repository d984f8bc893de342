import { BoundedMap, type Position } from "@ccbridge/registry";

/** Bounds: positions per turtle, and turtles (least recently moved are evicted). */
const MAX_PLACES = 512;
const MAX_TURTLES = 256;

export class TurtleTracks {
  readonly #tracks = new BoundedMap<string, Position[]>(MAX_TURTLES);
  /** Called with the key of a turtle that moved. */
  onChange: ((key: string) => void) | undefined;

  /** Continues the trail of an earlier process. */
  restore(key: string, trail: readonly Position[]): void {
    this.#tracks.set(key, trail.slice(-MAX_PLACES));
  }

  note(key: string, place: Position): void {
    const trail = this.#tracks.get(key) ?? [];
    const last = trail.at(-1);
    if (last?.x === place.x && last.y === place.y && last.z === place.z) return;
    trail.push(place);
    if (trail.length > MAX_PLACES) trail.shift();
    this.#tracks.set(key, trail);
    this.onChange?.(key);
  }

  of(key: string): readonly Position[] {
    return this.#tracks.get(key) ?? [];
  }
}
