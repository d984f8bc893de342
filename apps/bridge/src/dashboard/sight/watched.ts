import { type JobSummary, type ProviderPort, poll, type Stop, Watchers } from "@ccbridge/registry";
import type { Fleet } from "./fleet.js";
import { readTurtle, type TurtleState } from "./turtle-state.js";

/** Jobs and turtles that are looked at at once, by all viewers of one port together. */
const MAX_WATCHED = 1_024;
const JOBS_MS = 500;
const TURTLE_MS = 2_000;
/** Places that are kept of one turtle, and turtles whose places are kept. */
const MAX_TRAIL = 512;
const MAX_TRAILS = 256;

type Place = { readonly x: number; readonly y: number; readonly z: number };

/**
 * What the viewers of one port look at, each thing once for all of them: twenty viewers cost the game, and
 * the bridge, what one costs. Screens are shared by the registry in the same way.
 */
export class Watched {
  readonly fleet: Fleet;
  readonly #providers: ProviderPort;
  readonly #jobs = new Watchers<readonly JobSummary[]>(1);
  readonly #turtles = new Watchers<TurtleState>(MAX_WATCHED);
  /** Where turtles have been while somebody looked; the one that moved last is the last. */
  readonly #trails = new Map<string, Place[]>();

  constructor(providers: ProviderPort, fleet: Fleet) {
    this.#providers = providers;
    this.fleet = fleet;
  }

  /** All jobs, now and whenever one of them has changed. */
  jobs(listener: (jobs: readonly JobSummary[]) => void): Stop {
    const look = async (tell: (jobs: readonly JobSummary[]) => void) =>
      tell(await this.#providers.jobs.list());
    return this.#jobs.watch("jobs", (tell) => poll(() => look(tell), JOBS_MS), listener);
  }

  /** A turtle's fuel, place and slots. */
  turtle(key: string, listener: (turtle: TurtleState) => void): Stop {
    return this.#turtles.watch(
      key,
      (tell) => poll(() => this.#look(key, tell), TURTLE_MS),
      listener,
    );
  }

  /** Where a turtle has been since somebody looks at it. */
  trail(key: string): readonly Place[] {
    return this.#trails.get(key) ?? [];
  }

  async #look(key: string, tell: (turtle: TurtleState) => void): Promise<void> {
    const turtle = await readTurtle(this.#providers, key);
    if ("position" in turtle && turtle.position !== undefined) this.#note(key, turtle.position);
    tell(turtle);
  }

  #note(key: string, place: Place): void {
    const trail = this.#trails.get(key) ?? [];
    const last = trail.at(-1);
    if (last?.x === place.x && last.y === place.y && last.z === place.z) return;
    trail.push(place);
    if (trail.length > MAX_TRAIL) trail.shift();
    this.#trails.delete(key);
    this.#trails.set(key, trail);
    const [oldest] = this.#trails.keys();
    if (this.#trails.size > MAX_TRAILS && oldest !== undefined) this.#trails.delete(oldest);
  }
}
