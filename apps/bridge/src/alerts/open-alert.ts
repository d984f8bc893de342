import { type Alert, type AlertOrder, linkEvents } from "@ccbridge/mcp-tools";
import type { OwnedFired } from "./fired-log.js";

export interface OpenAlert {
  /** See {@link Clients.tokenOf}. */
  readonly owner: string;
  alert: Alert;
  readonly cursors: Map<string, number>;
  /** Providers whose events are read now; true when more have come meanwhile. */
  readonly reading: Map<string, boolean>;
  nextAt: number;
  skipped: number;
}

export interface KeptAlerts {
  readonly alerts: readonly {
    readonly owner: string;
    readonly alert: Alert;
    readonly cursors: readonly (readonly [string, number])[];
  }[];
  readonly fired: readonly OwnedFired[];
}

export interface AlertRow extends Alert {
  readonly client: string;
}

export interface SharedAlerts {
  readonly alerts: readonly { readonly owner: string; readonly alert: Alert }[];
  readonly fired: readonly OwnedFired[];
}

export interface AlertsElsewhere {
  all(): readonly SharedAlerts[];
  remove(id: string): void;
  /** Those of this bridge are different now. */
  changed(): void;
}

/** Whose watches of events they are. */
export const watcherOf = (id: string) => `alert ${id}`;

export const hasAny = (filter: object) => Object.keys(filter).length > 0;

export function isOfLinks({ event }: AlertOrder): boolean {
  return (linkEvents as readonly string[]).includes(event);
}
