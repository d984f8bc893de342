import type { Event, EventWatch } from "@ccbridge/protocol";
import { type Identity, printable } from "../identity.js";
import type { Link } from "../link.js";
import type { RegistryLimits } from "../options.js";
import { EventLog } from "./event-log.js";

/** How long an agent may take to take up its watch list again. */
const RESTORE_TIMEOUT_MS = 20_000;

/** What is known of one provider's events. */
export interface ProviderEvents {
  readonly identity: Identity;
  readonly log: EventLog;
  readonly linked: boolean;
  /** What its agent is asked to send, now and on its next links. */
  watches: readonly EventWatch[];
}

interface Entry extends ProviderEvents {
  identity: Identity;
  linked: boolean;
  /** The count of the agent's next frame, if none gets lost. */
  nextSeq: number | undefined;
}

export interface EventsOptions {
  limits: Readonly<RegistryLimits>;
  /** Called after each event. */
  onEvent(identity: Identity): void;
}

/** The events of the linked providers, and of the last ones that are gone. */
export class Events {
  readonly #options: EventsOptions;
  readonly #linked = new Map<string, Entry>();
  /** The longest gone first. */
  readonly #gone = new Map<string, Entry>();

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** The events of a linked provider. */
  of({ identity }: Link): ProviderEvents {
    return this.#entryOf(identity);
  }

  /** All providers with events or watches, gone ones included. */
  list(): readonly ProviderEvents[] {
    return [...this.#linked.values(), ...this.#gone.values()];
  }

  /** Takes an event from a link. */
  receive({ identity }: Link, { seq, name, args, dropped = 0, truncated = false }: Event): void {
    const entry = this.#entryOf(identity);
    // A count that goes back is a program that was started anew.
    const lost = entry.nextSeq === undefined ? 0 : Math.max(0, seq - entry.nextSeq);
    entry.nextSeq = seq + 1;
    entry.log.push({ name: printable(name), args, dropped: dropped + lost, truncated });
    this.#options.onEvent(identity);
  }

  /** A provider is linked (again): its agent is told anew what to send. */
  linked(link: Link): void {
    const { identity } = link;
    const { key } = identity;
    const entry = this.#gone.get(key) ?? this.#linked.get(key);
    if (entry === undefined) return;
    this.#gone.delete(key);
    this.#linked.set(key, entry);
    entry.identity = identity;
    entry.linked = true;
    const { watches } = entry;
    if (watches.length === 0 || !identity.methods.includes("watch-events")) return;
    link.request("watch-events", { watches }, { timeoutMs: RESTORE_TIMEOUT_MS }).then(
      ({ ok }) => {
        if (!ok && entry.watches === watches) entry.watches = [];
      },
      // The next link tries again.
      () => {},
    );
  }

  /** A link is gone. Its events are kept until many others are gone too. */
  unlinked({ key }: Identity): void {
    const entry = this.#linked.get(key);
    if (entry === undefined) return;
    this.#linked.delete(key);
    this.#gone.set(key, entry);
    entry.linked = false;
    for (const [oldest, { log }] of this.#gone) {
      if (this.#gone.size <= this.#options.limits.keepEventLogs) break;
      this.#gone.delete(oldest);
      log.close();
    }
  }

  /** Lets go of everyone who waits, as when the bridge stops. */
  close(): void {
    for (const { log } of this.list()) log.close();
    this.#linked.clear();
    this.#gone.clear();
  }

  #entryOf(identity: Identity): Entry {
    const known = this.#linked.get(identity.key) ?? this.#gone.get(identity.key);
    if (known !== undefined) return known;
    const { maxEvents, maxEventBytes } = this.#options.limits;
    const log = new EventLog({ maxEvents, maxBytes: maxEventBytes });
    const entry: Entry = { identity, log, watches: [], linked: true, nextSeq: undefined };
    this.#linked.set(identity.key, entry);
    return entry;
  }
}
