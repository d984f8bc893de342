import type { Provider } from "@ccbridge/registry";

export type AlertProvider = Pick<Provider, "key" | "name" | "kind">;

export type AlertFilter = Readonly<Record<string, string | number | boolean>>;

/** Which event to report, and where. The dashboard always shows it. */
export interface AlertOrder {
  /** The name of an event, with * for anything; or one of {@link linkEvents}. */
  readonly event: string;
  /** By the number of an argument, or the name of a field. */
  readonly filter: AlertFilter;
  /** Undefined for every provider that the client sees. */
  readonly provider?: AlertProvider | undefined;
  readonly message?: string | undefined;
  /** It ends after this many deliveries. */
  readonly times: number;
  /** At most one delivery in this time; what happens in between is counted. */
  readonly everyMs: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly chat?: { readonly to: string; readonly by: AlertProvider } | undefined;
  readonly screen?: { readonly on: AlertProvider; readonly monitor?: string } | undefined;
  readonly webhook?: string | undefined;
}

export interface Fired {
  readonly at: number;
  readonly text: string;
  /** What was not reached, and why. */
  readonly problems: readonly string[];
  /** The id of the alert, which may be over. */
  readonly alert: string;
  readonly client: string;
  readonly provider: Pick<Provider, "key" | "name">;
}

export interface Alert extends AlertOrder {
  readonly id: string;
  readonly createdAt: number;
  readonly fired: number;
  readonly lastAt?: number | undefined;
  /** Why it may miss events. */
  readonly trouble?: string | undefined;
}

export interface AlertsAccess {
  create(order: AlertOrder): Promise<Alert>;
  list(): readonly Alert[];
  /** The last deliveries, the newest last. */
  fired(): readonly Fired[];
  remove(id: string): Alert | undefined;
  /** Why nothing may be posted there; undefined if it may. */
  webhookProblem(url: string): string | undefined;
}

/** What happens to links rather than on a provider. */
export const linkEvents = ["linked", "unlinked"] as const;
