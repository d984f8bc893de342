import {
  type ClientWatches,
  type HandedJob,
  LinkError,
  type ProviderPort,
  type Registry,
} from "@ccbridge/registry";
import type { Operations } from "./call-server.js";
import { CallError, type CallOptions, CallProblem } from "./caller.js";
import type { Directory } from "./directory.js";
import { EventMarks, type EventMarksOptions, markedEvents } from "./event-marks.js";

export interface MovesOptions extends Pick<EventMarksOptions, "earlier" | "changed"> {
  readonly registry: Registry;
  readonly directory: Directory;
  call(bridge: string, op: string, args: unknown, options: CallOptions): Promise<unknown>;
  /** Whether this bridge hears of what is linked elsewhere. */
  isJoined(): boolean;
  /** What the directory has of a provider here is no longer true. */
  watchesChanged(key: string): void;
}

interface TakeArgs {
  readonly key: string;
  readonly job: HandedJob;
}

const hand = { timeoutMs: 10_000 };
const WATCH_MS = 20_000;

/**
 * What goes along when a provider links to another bridge: the events that clients watch, and the jobs that had not
 * begun. Those that run come with the provider itself.
 */
export class Moves {
  readonly #options: MovesOptions;
  readonly #marks: EventMarks;
  readonly #handing = new Set<string>();
  /** What was reported of what clients watch. */
  readonly #reported = new Map<string, string>();

  constructor(options: MovesOptions) {
    const { registry, earlier, changed } = options;
    this.#options = options;
    this.#marks = new EventMarks({
      endOf: (key) => registry.events.get(key)?.log.end,
      ...{ earlier, ...(changed === undefined ? {} : { changed }) },
    });
  }

  /** A port of this bridge, with cursors of events that hold in the whole cluster. */
  marked(port: ProviderPort): ProviderPort {
    return { ...port, events: markedEvents(port.events, this.#marks, (key) => this.#tell(key)) };
  }

  readonly operations: Operations = {
    "jobs.take": ({ key, job }: TakeArgs) => {
      const { registry } = this.#options;
      const session = registry.session(key);
      if (session === undefined) throw new Error("it is not linked here now");
      registry.jobs.start(session, job);
    },
  };

  /** What clients watch on a provider of this bridge, for the next bridge. */
  watchesOf(key: string): ClientWatches {
    return this.#options.registry.events.get(key)?.watches.lists ?? [];
  }

  /** It is linked here now. */
  linked(key: string): void {
    const { directory, isJoined } = this.#options;
    if (!isJoined()) this.#marks.moved(key);
    const watches = directory.takeWatches(key);
    // Once it has been welcomed.
    if (watches !== undefined) setImmediate(() => this.#adopt(key, watches));
  }

  /** It is linked to another bridge now. */
  linkedElsewhere(key: string, bridge: string): void {
    this.#marks.moved(key);
    // An entry of before, as long as it is linked here.
    if (this.#options.registry.session(key) !== undefined) return;
    this.#reported.delete(key);
    void this.#handOver(key, bridge);
  }

  /** All is listed again: what happened meanwhile was not heard of. */
  relisted(): void {
    this.#marks.missedMoves(
      [...this.#options.registry.sessions()].map(({ provider }) => provider.key),
    );
  }

  #tell(key: string | undefined): void {
    const { registry, watchesChanged } = this.#options;
    const keys = key === undefined ? [...this.#reported.keys()] : [key];
    for (const each of keys) {
      if (registry.session(each) === undefined) continue;
      const text = JSON.stringify(this.watchesOf(each));
      if ((this.#reported.get(each) ?? "[]") === text) continue;
      this.#reported.set(each, text);
      watchesChanged(each);
    }
  }

  /** Continues to watch what clients watched on the last bridge. */
  #adopt(key: string, lists: ClientWatches): void {
    const { registry } = this.#options;
    const session = registry.session(key);
    if (session === undefined) return;
    const { watches } = registry.events.of(session);
    const before = JSON.stringify(watches.all);
    const wanted = new Map(lists);
    const clients = new Set([...wanted.keys(), ...watches.lists.map(([client]) => client)]);
    for (const client of clients) watches.set(client, wanted.get(client) ?? []);
    this.#tell(key);
    if (JSON.stringify(watches.all) === before) return;
    const dialect = registry.dialect(session.provider.kind);
    dialect?.watchEvents?.(session, watches.all, { timeoutMs: WATCH_MS })?.catch(() => {});
  }

  async #handOver(key: string, bridge: string): Promise<void> {
    const { registry, call } = this.#options;
    if (this.#handing.has(key)) return;
    this.#handing.add(key);
    await registry.jobs.handOver(key, {
      async begin(job) {
        try {
          await call(bridge, "jobs.take", { key, job } satisfies TakeArgs, hand);
          return undefined;
        } catch (error) {
          return explained(error as Error);
        }
      },
      stop: (id) => void call(bridge, "jobs.stop", { id }, hand).catch(() => {}),
    });
    this.#handing.delete(key);
  }
}

function explained(error: Error): string {
  const isKnown = error instanceof LinkError || !(error instanceof CallError);
  const { problem } = error as CallError;
  if (isKnown) return `Nothing was run: the bridge to which it moved refused it: ${error.message}`;
  return problem === CallProblem.alone || problem === CallProblem.absent
    ? "Nothing was run: the bridge to which it moved is gone."
    : "The bridge to which it moved did not confirm it. It may have run.";
}
