import type { ActionParams, CallRow } from "@ccbridge/protocol/dashboard";
import { computed, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { doesSomething } from "./tasks.js";
import { type CallState, stateOf } from "./views/call.js";
import { act, watch } from "./wire/connection.js";

/** What the reader of the activity wants to see. Empty fields mean everything. */
export interface CallFilter {
  readonly text: string;
  readonly client: string;
  /** The key of a provider. */
  readonly key: string;
  readonly state: CallState | "";
  readonly actsOnly: boolean;
  /** A local date, 2026-01-31: nothing after that day. */
  readonly until: string;
  readonly withLooks: boolean;
}

export const noFilter: CallFilter = {
  ...{ text: "", client: "", key: "", state: "", until: "" },
  ...{ actsOnly: false, withLooks: false },
};

const TYPING_MS = 200;

/** Calls as they happen, and those of the past, page by page, as one list. */
export class CallList {
  readonly filter = signal(noFilter);
  readonly problem = signal<string | undefined>(undefined);
  /** Why calls of other bridges may be missing. */
  readonly unseen = signal<string | null>(null);
  readonly isLoading = signal(false);
  readonly #live = signal<ReadonlyMap<string, CallRow>>(new Map());
  readonly #past = signal<readonly CallRow[]>([]);
  /** Null when there is nothing earlier. */
  readonly #next = signal<string | null>(null);
  #search = 0;
  #typing: ReturnType<typeof setTimeout> | undefined;

  /** Newest first. Live calls from before the last page are left out until their page is loaded. */
  readonly shown = computed(() => {
    const all = new Map(this.#past.value.map((call) => [call.trace, call]));
    const oldest = this.#next.value === null ? undefined : this.#past.value.at(-1)?.at;
    for (const call of this.#live.value.values()) {
      if (oldest === undefined || call.at >= oldest) all.set(call.trace, call);
    }
    return [...all.values()]
      .filter((call) => fits(call, this.filter.value))
      .sort((a, b) => b.at - a.at || b.id - a.id);
  });

  readonly hasMore = computed(() => this.#next.value !== null);

  /** The clients and providers of the calls that are known, to choose from. */
  readonly clients = computed(() => unique(this.#all().map(({ client }) => client)));
  readonly providers = computed(
    () =>
      new Map(
        this.#all().flatMap(({ keys, providers }) =>
          keys.map((key, index) => [key, providers[index] ?? key] as const),
        ),
      ),
  );

  follow(): () => void {
    return watch(
      "activity",
      {},
      ({ full, calls, unseen }) => {
        const now = full ? new Map<string, CallRow>() : new Map(this.#live.peek());
        for (const call of calls) now.set(call.trace, call);
        this.#live.value = now;
        this.unseen.value = unseen;
        this.problem.value = undefined;
        // Also after the connection was lost.
        if (full) void this.#load(undefined, []);
      },
      (error) => {
        this.problem.value = error;
      },
    );
  }

  set(change: Partial<CallFilter>): void {
    this.filter.value = { ...this.filter.value, ...change };
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.#load(undefined, []), TYPING_MS);
  }

  /** Deletes the history of the chosen client or computer. */
  async forget(what: ActionParams<"forget-history">): Promise<void> {
    try {
      await act("forget-history", what);
      this.#live.value = new Map();
      this.filter.value = noFilter;
      await this.#load(undefined, []);
    } catch (error) {
      this.problem.value = (error as Error).message;
    }
  }

  earlier(): Promise<void> {
    return this.#load(this.#next.value ?? undefined, this.#past.value);
  }

  async #load(before: string | undefined, known: readonly CallRow[]): Promise<void> {
    this.#search += 1;
    const search = this.#search;
    this.isLoading.value = true;
    try {
      const wanted = paramsOf(this.filter.value);
      const found = wanted && (await act("find-calls", { ...wanted, ...(before && { before }) }));
      // Another search has begun meanwhile.
      if (search !== this.#search) return;
      this.#past.value = [...known, ...(found?.calls ?? [])];
      this.#next.value = found?.next ?? null;
      this.problem.value = undefined;
    } catch (error) {
      if (search === this.#search) this.problem.value = (error as Error).message;
    } finally {
      if (search === this.#search) this.isLoading.value = false;
    }
  }

  #all(): readonly CallRow[] {
    return [...this.#live.value.values(), ...this.#past.value];
  }
}

/** The latest calls of all clients and pages, newest first. */
export function useCalls(): CallList {
  const calls = useMemo(() => new CallList(), []);
  useEffect(() => calls.follow(), []);
  return calls;
}

/** Undefined when nothing in the past can fit: what runs or waits is not past. */
function paramsOf(filter: CallFilter): ActionParams<"find-calls"> | undefined {
  const { text, client, key, state, actsOnly, until } = filter;
  if (state === "waiting" || state === "running") return undefined;
  return {
    ...(text.trim() && { text: text.trim() }),
    ...(client && { client }),
    ...(key && { key }),
    ...(state && { outcome: state }),
    ...(actsOnly && { acts: true }),
    ...(until && { until: endOfDay(until) }),
  };
}

function endOfDay(day: string): number {
  return new Date(`${day}T00:00`).setHours(23, 59, 59, 999);
}

/** Periodic reads by dashboards, hidden by default. */
function isLook(call: CallRow): boolean {
  return call.software === "dashboard" && !doesSomething(call) && call.outcome !== "refused";
}

/** As the bridge searches. */
function fits(call: CallRow, filter: CallFilter): boolean {
  const { text, client, key, state, actsOnly, until, withLooks } = filter;
  const words = [
    call.tool,
    call.client,
    call.software,
    JSON.stringify(call.request),
    call.answer,
    ...call.providers,
  ];
  const all = words.join("\n").toLowerCase();
  return (
    (withLooks || !isLook(call)) &&
    (client === "" || call.client === client) &&
    (key === "" || call.keys.includes(key)) &&
    (state === "" || stateOf(call) === state) &&
    (!actsOnly || call.acts) &&
    (until === "" || call.at <= endOfDay(until)) &&
    text.split(/\s+/).every((word) => word === call.trace || all.includes(word.toLowerCase()))
  );
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
