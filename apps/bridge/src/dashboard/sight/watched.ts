import {
  type JobSummary,
  type Position,
  type ProviderPort,
  poll,
  type Stop,
  Watchers,
} from "@ccbridge/registry";
import type { Fleet } from "./fleet.js";
import type { Trails } from "./trails.js";
import { readTurtle, type TurtleState } from "./turtle-state.js";

/** Jobs and turtles that are looked at at once, by all viewers of one port together. */
const MAX_WATCHED = 1_024;
const JOBS_MS = 500;
const TURTLE_MS = 2_000;

/**
 * What the viewers of one port look at, each thing once for all of them: twenty viewers cost the game, and
 * the bridge, what one costs. Screens are shared by the registry in the same way.
 */
export class Watched {
  readonly fleet: Fleet;
  readonly #providers: ProviderPort;
  readonly #jobs = new Watchers<readonly JobSummary[]>(1);
  readonly #turtles = new Watchers<TurtleState>(MAX_WATCHED);
  readonly #trails: Trails;

  constructor(providers: ProviderPort, fleet: Fleet, trails: Trails) {
    this.#providers = providers;
    this.fleet = fleet;
    this.#trails = trails;
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
      (tell) => poll(async () => tell(await readTurtle(this.#providers, key)), TURTLE_MS),
      listener,
    );
  }

  /** Where a turtle has been. Only for those who see the turtle. */
  trail(key: string): readonly Position[] {
    return this.#trails.of(key);
  }
}
