import type { CallRow, TopicData } from "@ccbridge/protocol/dashboard";
import { BoundedMap, poll, type Stop } from "@ccbridge/registry";
import type { CallRecord } from "../../calls/audit/record.js";
import { callRow } from "../context/call-row.js";
import type { ClientsElsewhere, DashboardServices } from "../context/services.js";
import type { Source } from "./watch.js";

const MAX_WAITING = 1_000;
const LOOK_MS = 1_000;

type IsShown = (call: { readonly client: string }) => boolean;

export function activitySource(
  { audit: { trail }, elsewhere }: Pick<DashboardServices, "audit" | "elsewhere">,
  isShown: IsShown,
  ready: () => void,
): Source<TopicData<"activity">> {
  const changed = new BoundedMap<number, CallRecord>(MAX_WAITING);
  const others = elsewhere && new RemoteCalls(elsewhere, isShown, ready);
  let stops: Stop[] | undefined;
  const note = (record: CallRecord) => {
    if (!isShown(record)) return;
    changed.set(record.id, record);
    ready();
  };
  return {
    read() {
      const news = others?.read();
      const full = stops === undefined || news?.isLost === true;
      stops ??= [trail.subscribe(note), ...(others === undefined ? [] : [others.follow()])];
      const own = full ? trail.recent().filter(isShown) : [...changed.values()];
      changed.clear();
      const there = full ? others?.known : news?.calls;
      const calls = [...own.map(callRow), ...(there ?? [])];
      if (!full && calls.length === 0 && news === undefined) return undefined;
      return { full, calls, unseen: others?.unseen ?? null };
    },
    close() {
      for (const stop of stops ?? []) stop();
    },
  };
}

interface News {
  readonly calls: readonly CallRow[];
  /** Whether a call that ran is not heard of any more. */
  readonly isLost: boolean;
}

/** What is called through other bridges. */
class RemoteCalls {
  unseen: string | undefined;
  readonly #elsewhere: ClientsElsewhere;
  readonly #isShown: IsShown;
  readonly #ready: () => void;
  #known = new Map<string, CallRow>();
  #changed = new Map<string, CallRow>();
  #isLost = false;
  #isNew = false;

  constructor(elsewhere: ClientsElsewhere, isShown: IsShown, ready: () => void) {
    this.#elsewhere = elsewhere;
    this.#isShown = isShown;
    this.#ready = ready;
  }

  get known(): readonly CallRow[] {
    return [...this.#known.values()];
  }

  follow(): Stop {
    return poll(() => this.#look(), LOOK_MS);
  }

  /** What changed since it was read last. */
  read(): News | undefined {
    if (!this.#isNew) return undefined;
    const news = { calls: [...this.#changed.values()], isLost: this.#isLost };
    this.#changed = new Map();
    [this.#isLost, this.#isNew] = [false, false];
    return news;
  }

  async #look(): Promise<void> {
    const { rows, unseen } = await this.#elsewhere.calls();
    const now = new Map(rows.filter(this.#isShown).map((row) => [row.trace, row]));
    const changed = [...now.values()].filter(
      (row) => JSON.stringify(row) !== JSON.stringify(this.#known.get(row.trace)),
    );
    const isLost = this.known.some(({ outcome, trace }) => outcome === null && !now.has(trace));
    const isNew = isLost || changed.length > 0 || unseen !== this.unseen;
    this.#known = now;
    this.unseen = unseen;
    if (!isNew) return;
    for (const row of changed) this.#changed.set(row.trace, row);
    this.#isLost ||= isLost;
    this.#isNew = true;
    this.#ready();
  }
}
