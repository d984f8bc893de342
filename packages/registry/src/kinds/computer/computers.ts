import { ChunkJoiner, type EventWatch, HelloErrorCode, LinkCloseCode } from "@ccbridge/protocol";
import { Budget } from "../../budget.js";
import type { Candidate, Dialect, Sees, WatchSubject } from "../../dialect.js";
import { LinkError, LinkErrorCode } from "../../errors.js";
import type { Answer, Provider } from "../../provider.js";
import type { Registry } from "../../registry.js";
import type { RequestOptions } from "../../requests.js";
import type { Channel, Origin, ProviderSession } from "../../session.js";
import type { Stop } from "../../watchers.js";
import type { PairingDesk } from "./approval.js";
import { DepartedComputers, type Departure } from "./departed.js";
import { ComputerLink } from "./link.js";
import { COMPUTER, type ComputerProvider, isComputer, type Position } from "./provider.js";
import {
  type ComputerSelector,
  computerAddress,
  computerAddresses,
  matchesSelector,
  plainId,
  selectComputer,
} from "./selector.js";
import { ComputerWatches } from "./watches.js";

/** Connections beyond `maxLinks` that may be saying hello, so that a full registry can still replace. */
const GREETING_ROOM = 64;

export interface ComputersOptions {
  bridge: { name: string; version: string };
  /** Has unknown computers wait for approval. The secret of an approved one counts instead of the token. */
  pairing?: PairingDesk | undefined;
  onPlace?(key: string, position: Position): void;
  /** Decides on the token of a hello. Without it all computers may link. */
  authorize?(token: string | undefined, origin: Origin): boolean | { laterBecause: string };
}

export class Computers implements Dialect {
  readonly kind = COMPUTER;
  readonly registry: Registry;
  readonly options: ComputersOptions;
  readonly watches: ComputerWatches;
  readonly #departed: DepartedComputers;
  readonly transfers: Budget<ComputerLink>;
  readonly #greeting = new Set<ComputerLink>();
  #connections = 0;
  #sorted: readonly ComputerLink[] | undefined;

  constructor(registry: Registry, options: ComputersOptions) {
    this.registry = registry;
    this.options = options;
    this.watches = new ComputerWatches(registry);
    this.#departed = new DepartedComputers(registry);
    this.transfers = new Budget({ total: registry.limits.maxTransferBytes });
    registry.changes.subscribe(() => (this.#sorted = undefined), {
      topics: ["linked", "unlinked"],
    });
    registry.add(this);
  }

  close(reason: string): void {
    for (const link of [...this.#greeting]) link.close(LinkErrorCode.shuttingDown, reason);
  }

  watchEvents(
    session: ProviderSession,
    watches: readonly EventWatch[],
    options: RequestOptions,
  ): Promise<Answer> {
    return session.request("watch-events", { watches }, options);
  }

  recentlyLeft(): Iterable<Departure> {
    return this.#departed.list();
  }

  get connections(): number {
    return this.#connections;
  }

  attach(channel: Channel, origin: Origin): ComputerLink {
    const link = new ComputerLink(this, channel, origin);
    this.#greeting.add(link);
    this.#connections += 1;
    if (!this.registry.takesLinks) {
      link.refuse(
        LinkCloseCode.goingAway,
        HelloErrorCode.shuttingDown,
        "This bridge is shutting down.",
      );
    } else if (
      this.#connections - this.registry.held >
      this.registry.limits.maxLinks + GREETING_ROOM
    ) {
      this.refuseForRoom(link);
    }
    return link;
  }

  greeted(link: ComputerLink): void {
    this.#greeting.delete(link);
  }

  detach(link: ComputerLink): void {
    this.#greeting.delete(link);
    this.#connections -= 1;
  }

  createJoiner(link: ComputerLink): ChunkJoiner {
    return new ChunkJoiner({
      maxBytes: this.registry.limits.maxFromAgentBytes,
      budget: {
        take: (bytes) => this.#takeTransfer(link, bytes),
        give: (bytes) => this.transfers.give(link, bytes),
      },
    });
  }

  #takeTransfer(link: ComputerLink, bytes: number): boolean {
    while (!this.transfers.take(link, bytes)) {
      const worst = this.transfers.worst();
      if (worst === undefined || this.transfers.held(worst) <= this.transfers.held(link) + bytes) {
        return false;
      }
      worst.dropTransfers();
    }
    return true;
  }

  refuseForRoom(link: ComputerLink): void {
    link.refuse(
      LinkCloseCode.tooManyLinks,
      HelloErrorCode.tooManyLinks,
      `This bridge has ${this.registry.limits.maxLinks} links, which is its limit.`,
    );
  }

  list(): readonly ComputerLink[] {
    this.#sorted ??= [...this.registry.sessions()]
      .filter((session) => session instanceof ComputerLink)
      .sort(
        ({ provider: a }, { provider: b }) =>
          a.computerId - b.computerId || (a.key < b.key ? -1 : 1),
      );
    return this.#sorted;
  }

  find(selector: ComputerSelector | undefined, sees: Sees = () => true): ComputerLink {
    const id = plainId(selector);
    // Nearly every call names an id that one computer has: the others need not be looked at.
    const only = id === undefined ? undefined : this.#onlyOneWith(id);
    if (only !== undefined && sees(only.provider)) return only;
    const visible = this.list().filter(({ provider }) => sees(provider));
    try {
      return selectComputer(selector, visible);
    } catch (error) {
      const isUnknown = error instanceof LinkError && error.code === LinkErrorCode.notLinked;
      throw (isUnknown && this.#departed.errorFor(selector, sees)) || error;
    }
  }

  #onlyOneWith(computerId: number): ComputerLink | undefined {
    const sorted = this.list();
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.provider.computerId ?? 0) < computerId) low = middle + 1;
      else high = middle;
    }
    const [first, second] = [sorted[low], sorted[low + 1]];
    if (first?.provider.computerId !== computerId) return undefined;
    return second?.provider.computerId === computerId ? undefined : first;
  }

  select<T extends Candidate>(selector: ComputerSelector | undefined, among: readonly T[]): T {
    return selectComputer(selector, among as readonly (T & { provider: ComputerProvider })[]);
  }

  addressOf(selector: ComputerSelector): string {
    return computerAddress(selector);
  }

  matches(selector: ComputerSelector | undefined, provider: Provider): boolean {
    return matchesSelector(selector, provider);
  }

  addresses(provider: Provider): readonly string[] {
    return isComputer(provider) ? computerAddresses(provider) : [];
  }

  watch(key: string, subject: WatchSubject, listener: (state: unknown) => void): Stop {
    return this.watches.follow(key, subject, listener);
  }
}
