import type { EventWatch } from "@ccbridge/protocol";
import type { Answer, Provider } from "./provider.js";
import type { RequestOptions } from "./requests.js";
import type { ProviderSession } from "./session.js";
import type { Stop } from "./watchers.js";

export type ProviderRef = number | string;

export type Sees = (provider: Provider) => boolean;

/** Something about a provider that can be followed: its dialect knows what exists. */
export interface WatchSubject {
  readonly what: string;
  readonly path?: string | undefined;
  readonly job?: string | undefined;
  /** Goes on for that long after the last listener, for one that comes again and again. */
  readonly lingerMs?: number | undefined;
}

export interface Candidate {
  readonly provider: Provider;
}

/** The providers of one kind: which are linked, and which one a selector names. */
export interface Dialect {
  readonly kind: string;
  list(): readonly ProviderSession[];
  /**
   * The provider that a ref names, of those that the caller sees; without a ref the only one. Throws a LinkError
   * that names no other providers than the candidates otherwise.
   */
  find(ref: ProviderRef | undefined, sees?: Sees): ProviderSession;
  /** Chooses as `find` does, of providers that may be linked elsewhere. @default the only one that matches */
  select?<T extends Candidate>(ref: ProviderRef | undefined, among: readonly T[]): T;
  matches(ref: ProviderRef | undefined, provider: Provider): boolean;
  /** The one of its `addresses` that every provider has which a ref names. */
  addressOf?(ref: ProviderRef): string | undefined;
  /** What a provider is called in subscriptions to changes, beside its key: more than one may have the same. */
  addresses?(provider: Provider): readonly string[];
  /** Follows something until the returned function is called: plain data, now and after each change. */
  watch?(key: string, subject: WatchSubject, listener: (state: unknown) => void): Stop;
  /** Says which events a provider shall send; those of a dialect without it cannot be chosen. */
  watchEvents?(
    session: ProviderSession,
    watches: readonly EventWatch[],
    options: RequestOptions,
  ): Promise<Answer>;
  /** Closes what is not linked yet: the registry closes. */
  close(reason: string): void;
}
