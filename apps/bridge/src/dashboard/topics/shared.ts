import type { FleetRow } from "@ccbridge/protocol/dashboard";
import {
  type Departure,
  type JobSummary,
  type Position,
  type Provider,
  poll,
  type Stop,
  Watchers,
} from "@ccbridge/registry";
import { visibleTo } from "../../calls/caller.js";
import type { DashboardServices } from "../context/services.js";
import { pollTool, shownBy } from "../context/tools.js";
import type { ViewerCalls } from "../context/viewer-calls.js";
import { awayRow, KeptFleet, linkedRows } from "./fleet.js";
import { pollTurtle, type TurtleState } from "./turtle-state.js";

const MAX_TURTLES = 1_024;
const JOBS_MS = 500;

/**
 * What all pages of a token watch, polled once: twenty pages cost the game what one costs. The registry shares
 * screens in the same way.
 */
export class SharedWatches {
  readonly fleet: KeptFleet;
  readonly #calls: ViewerCalls;
  readonly #services: DashboardServices;
  readonly #jobs = new Watchers<readonly JobSummary[] | Error>(1);
  readonly #turtles = new Watchers<TurtleState>(MAX_TURTLES);

  constructor(calls: ViewerCalls, services: DashboardServices) {
    this.#calls = calls;
    this.#services = services;
    this.fleet = new KeptFleet(calls.providers.changes, () => this.#readFleet());
  }

  /** All jobs, whenever one changed, or why they cannot be read. */
  jobs(listener: (jobs: readonly JobSummary[] | Error) => void): Stop {
    const tool = pollTool(shownBy("list-jobs"), { subject: "jobs", args: {} }, ({ providers }) =>
      providers.jobs.list(),
    );
    const refresh = () =>
      this.#calls.run(tool, {}).then(
        ({ data }) => data,
        (error: Error) => error,
      );
    return this.#jobs.watch(
      "jobs",
      (notify) => {
        const stop = poll(async () => {
          const jobs = await refresh();
          // A page that is refused retries later.
          if (jobs instanceof Error) stop();
          notify(jobs);
        }, JOBS_MS);
        return stop;
      },
      listener,
    );
  }

  turtle(key: string, listener: (turtle: TurtleState) => void): Stop {
    return this.#turtles.watch(
      key,
      (notify) => pollTurtle(this.#calls.apart(), key, notify),
      listener,
    );
  }

  #lastPlace({ provider }: Departure): Position | null {
    return this.#services.tracks.of(provider.key).at(-1) ?? null;
  }

  async #readFleet(): Promise<readonly FleetRow[]> {
    const { caller } = this.#calls;
    const { pipeline, context } = this.#services.mcp;
    const { kinds } = context.settings;
    const allowed = kinds.all.filter(({ listedBy }) =>
      pipeline.allows(shownBy(listedBy, kinds), caller),
    );
    const sees = visibleTo(caller.client);
    const isListed = (provider: Provider) => allowed.some(({ name }) => name === provider.kind);
    const subject = { subject: "fleet", args: {} };
    // A client that may list nothing is refused in the words for the first kind.
    const facts = shownBy((allowed[0] ?? kinds.all[0])?.listedBy ?? "", kinds);
    const tool = pollTool(facts, subject, async ({ providers }) => {
      const linked = await linkedRows(kinds, providers, isListed);
      const keys = new Set(linked.map(({ key }) => key));
      const away = [...this.#services.recentlyLeft()].filter(
        ({ provider }) =>
          !keys.has(provider.key) && isListed(provider) && (sees?.(provider) ?? true),
      );
      return [
        ...linked,
        ...away.map((departure) => awayRow(kinds, departure, this.#lastPlace(departure))),
      ];
    });
    return (await this.#calls.run(tool, {})).data;
  }
}
