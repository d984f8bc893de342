import type { Job } from "./jobs/job.js";
import type { BrokenTool } from "./offers.js";
import type { Provider } from "./provider.js";
import type { Origin, SessionEnd } from "./session.js";

export type ProviderChange =
  | {
      readonly topic: "linked";
      readonly provider: Provider;
      readonly origin: Origin;
      readonly again: boolean;
    }
  | (SessionEnd & {
      readonly topic: "unlinked";
      readonly provider: Provider;
      readonly origin: Origin;
    })
  | {
      readonly topic: "state";
      readonly provider: Provider;
      readonly origin: Origin;
      readonly state: "live" | "unresponsive";
    }
  | { readonly topic: "events"; readonly provider: Provider; readonly event: string }
  | {
      readonly topic: "tools";
      readonly provider: Provider;
      readonly origin: Origin | undefined;
      readonly broken: readonly BrokenTool[];
    };

/** Something about a connection that is not a provider, or not yet. */
export type ConnectionChange =
  | { readonly topic: "refused"; readonly origin: Origin; readonly reason: string }
  /** The first bad frame of a connection. The reason is short and safe to log. */
  | { readonly topic: "problem"; readonly origin: Origin; readonly reason: string }
  | { readonly topic: "debug"; readonly origin: Origin; readonly reason: string };

/** A job has changed something, and its provider says or keeps what. */
interface JobChanged {
  readonly topic: "changed";
  readonly provider: Provider;
  readonly job: Job;
}

export type RegistryChange = ProviderChange | ConnectionChange | JobChanged;

export const providerTopics = [
  "linked",
  "unlinked",
  "state",
  "events",
  "tools",
] as const satisfies readonly ProviderChange["topic"][];
const allTopics = [...providerTopics, "refused", "problem", "debug", "changed"] as const;

export type ChangeTopic = RegistryChange["topic"];
export type ChangeOf<Topic extends ChangeTopic> = Extract<RegistryChange, { topic: Topic }>;

export interface ChangeFilter<Topic extends ChangeTopic> {
  /** @default all */
  readonly topics?: readonly Topic[];
  /** The key of a provider, or one of the addresses that its dialect gives it. @default all providers */
  readonly key?: string | undefined;
}

type Listener = (change: RegistryChange) => void;

/** Notifies listeners of what changes, each of the topics and providers that it asked for. They must not throw. */
export class Changes {
  readonly #addressesOf: (provider: Provider) => readonly string[];
  readonly #listeners = new Map<ChangeTopic, Map<string | undefined, Set<Listener>>>(
    allTopics.map((topic) => [topic, new Map()]),
  );
  #size = 0;

  constructor(addressesOf: (provider: Provider) => readonly string[] = () => []) {
    this.#addressesOf = addressesOf;
  }

  get size(): number {
    return this.#size;
  }

  subscribe<Topic extends ChangeTopic = ChangeTopic>(
    listener: (change: ChangeOf<Topic>) => void,
    {
      topics = allTopics as readonly ChangeTopic[] as readonly Topic[],
      key,
    }: ChangeFilter<Topic> = {},
  ): () => void {
    const notify = (change: RegistryChange) => listener(change as ChangeOf<Topic>);
    for (const topic of topics) {
      const byKey = this.#listeners.get(topic);
      byKey?.set(key, (byKey.get(key) ?? new Set()).add(notify));
    }
    this.#size += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#size -= 1;
      for (const topic of topics) {
        const byKey = this.#listeners.get(topic);
        const listeners = byKey?.get(key);
        listeners?.delete(notify);
        if (listeners?.size === 0) byKey?.delete(key);
      }
    };
  }

  emit(change: RegistryChange): void {
    const byKey = this.#listeners.get(change.topic);
    const keys = new Set<string | undefined>([undefined]);
    if ("provider" in change) {
      keys.add(change.provider.key);
      for (const address of this.#addressesOf(change.provider)) keys.add(address);
    }
    const listeners = [...keys].flatMap((key) => [...(byKey?.get(key) ?? [])]);
    for (const listener of listeners) listener(change);
  }
}
