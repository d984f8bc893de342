import { BoundedMap, type Position } from "@ccbridge/registry";

/** Places that are kept of one turtle, and turtles whose places are kept; the one that moved last stays longest. */
const MAX_PLACES = 512;
const MAX_TURTLES = 256;

/** Where turtles have been, by what they said to anybody: pages that look at them, and clients that drive them. */
export class TurtleTracks {
  readonly #tracks = new BoundedMap<string, Position[]>(MAX_TURTLES);

  note(key: string, place: Position): void {
    const trail = this.#tracks.get(key) ?? [];
    const last = trail.at(-1);
    if (last?.x === place.x && last.y === place.y && last.z === place.z) return;
    trail.push(place);
    if (trail.length > MAX_PLACES) trail.shift();
    this.#tracks.set(key, trail);
  }

  /** The places of a turtle, oldest first. */
  of(key: string): readonly Position[] {
    return this.#tracks.get(key) ?? [];
  }
}
