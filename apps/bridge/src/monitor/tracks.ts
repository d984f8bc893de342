import { BoundedMap, type LastPlace, type Position } from "@ccbridge/registry";

/** Bounds: positions per turtle, and turtles (least recently moved are evicted). */
const MAX_PLACES = 512;
const MAX_TURTLES = 256;

export interface Track {
  readonly movedAt: number;
  readonly trail: readonly Position[];
}

export class TurtleTracks {
  readonly #tracks = new BoundedMap<string, { movedAt: number; trail: Position[] }>(MAX_TURTLES);
  /** Called with the key of a turtle that moved. */
  onChange: ((key: string, track: Track) => void) | undefined;

  /** Continues the trail of an earlier process. */
  restore(key: string, { movedAt, trail }: Track): void {
    this.#tracks.set(key, { movedAt, trail: trail.slice(-MAX_PLACES) });
  }

  note(key: string, place: Position): void {
    const track = this.#tracks.get(key) ?? { movedAt: 0, trail: [] };
    const { trail } = track;
    const last = trail.at(-1);
    if (last?.x === place.x && last.y === place.y && last.z === place.z) return;
    trail.push(place);
    if (trail.length > MAX_PLACES) trail.shift();
    track.movedAt = Date.now();
    this.#tracks.set(key, track);
    this.onChange?.(key, track);
  }

  of(key: string): readonly Position[] {
    return this.#tracks.get(key)?.trail ?? [];
  }

  /** Where each was seen last. */
  places(): readonly LastPlace[] {
    return [...this.#tracks.entries()].flatMap(([key, { movedAt, trail }]) => {
      const last = trail.at(-1);
      return last === undefined ? [] : [{ ...last, key, movedAt }];
    });
  }
}
