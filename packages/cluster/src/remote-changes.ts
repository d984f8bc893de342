import {
  type ChangeFilter,
  Changes,
  type PortChange,
  type Provider,
  type Stop,
} from "@ccbridge/registry";
import type { Broadcasts } from "./broadcasts.js";
import type { Directory } from "./directory.js";

const TOPIC = "events";
const allTopics: readonly PortChange["topic"][] = [
  "linked",
  "unlinked",
  "state",
  "events",
  "tools",
];
const elsewhere = { address: "" };

/** What changes about the providers of other bridges. Events are sent only while they are listened to. */
export class RemoteChanges {
  readonly #directory: Directory;
  readonly #broadcasts: Broadcasts;
  readonly #changes: Changes;
  #eventListeners = 0;
  #stopEvents: Stop | undefined;

  constructor(
    directory: Directory,
    broadcasts: Broadcasts,
    addressesOf: (provider: Provider) => readonly string[],
  ) {
    this.#directory = directory;
    this.#broadcasts = broadcasts;
    this.#changes = new Changes(addressesOf);
  }

  /** A provider of this bridge has sent an event. */
  send({ key }: Provider, event: string): void {
    this.#broadcasts.send(TOPIC, { key, event });
  }

  emit({ topic, provider, event = "" }: PortChange): void {
    const origin = elsewhere;
    if (topic === "events") this.#changes.emit({ topic, provider, event });
    else if (topic === "tools") this.#changes.emit({ topic, provider, origin, broken: [] });
    else if (topic === "state") this.#changes.emit({ topic, provider, origin, state: "live" });
    else if (topic === "linked") this.#changes.emit({ topic, provider, origin, again: false });
    else {
      const end = { reason: "", code: "disconnected", isDropped: true } as const;
      this.#changes.emit({ topic, provider, origin, ...end });
    }
  }

  subscribe(
    listener: (change: PortChange) => void,
    { topics = allTopics, key }: ChangeFilter<PortChange["topic"]> = {},
  ): Stop {
    const stop = this.#changes.subscribe(
      (change) => {
        const event = change.topic === "events" ? { event: change.event } : {};
        listener({ topic: change.topic, provider: change.provider, ...event });
      },
      { topics, key },
    );
    if (!topics.includes("events")) return stop;
    this.#eventListeners += 1;
    this.#stopEvents ??= this.#listen();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      stop();
      this.#eventListeners -= 1;
      if (this.#eventListeners > 0) return;
      this.#stopEvents?.();
      this.#stopEvents = undefined;
    };
  }

  #listen(): Stop {
    return this.#broadcasts.listen(TOPIC, {
      receive: (data) => {
        const { key, event } = data as { key: string; event: string };
        const entry = this.#directory.get(key);
        if (entry !== undefined) this.emit({ topic: "events", provider: entry.provider, event });
      },
      // What was missed is read by its cursor.
      gap: (from) => {
        for (const { bridge, provider } of this.#directory.list()) {
          if (bridge === from) this.emit({ topic: "events", provider });
        }
      },
    });
  }
}
