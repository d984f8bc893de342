import type { Origin } from "./channel.js";
import type { LinkErrorCode } from "./errors.js";
import type { BrokenTool } from "./offered-tools.js";
import type { Provider } from "./provider.js";

/** Something that changed about one provider. */
export type ProviderChange =
  /** It is linked, or says again who it is, perhaps with a new name. */
  | {
      readonly topic: "linked";
      readonly provider: Provider;
      readonly origin: Origin;
      readonly again: boolean;
    }
  | {
      readonly topic: "unlinked";
      readonly provider: Provider;
      readonly origin: Origin;
      readonly reason: string;
      readonly code: LinkErrorCode;
    }
  /** It answers again, or does not. */
  | {
      readonly topic: "state";
      readonly provider: Provider;
      readonly origin: Origin;
      readonly state: "live" | "unresponsive";
    }
  /** An event came. */
  | { readonly topic: "events"; readonly provider: Provider; readonly event: string }
  /** It offers other tools than before, and perhaps something that was meant to be one. */
  | {
      readonly topic: "tools";
      readonly provider: Provider;
      readonly origin: Origin | undefined;
      readonly broken: readonly BrokenTool[];
    };

/** Something about a connection that is not a provider, or not yet. */
export type ConnectionChange =
  /** A connection that never became a link. */
  | { readonly topic: "refused"; readonly origin: Origin; readonly reason: string }
  /** The first bad frame of a connection. The reason is short and safe to log. */
  | { readonly topic: "problem"; readonly origin: Origin; readonly reason: string }
  /** Something harmless that helps to debug an agent. */
  | { readonly topic: "debug"; readonly origin: Origin; readonly reason: string };

export type RegistryChange = ProviderChange | ConnectionChange;

/** Tells any number of listeners what changes. They must be quick and must not throw. */
export class Changes {
  readonly #listeners = new Set<(change: RegistryChange) => void>();

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Listens until the returned function is called. */
  subscribe(listener: (change: RegistryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(change: RegistryChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

export function isProviderChange(change: RegistryChange): change is ProviderChange {
  return "provider" in change;
}
