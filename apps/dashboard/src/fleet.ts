import type { FleetRow, TopicData } from "@ccbridge/protocol/dashboard";
import { computed, signal } from "@preact/signals";
import { watch } from "./wire/connection.js";

/** Everybody, by key; a new map with each change. Undefined until the bridge told. */
export const fleet = signal<ReadonlyMap<string, FleetRow> | undefined>(undefined);

export function followFleet(): void {
  watch("fleet", {}, (data) => {
    fleet.value = withChanges(fleet.peek(), data);
  });
}

function withChanges(
  before: ReadonlyMap<string, FleetRow> | undefined,
  { full, rows, gone }: TopicData<"fleet">,
): ReadonlyMap<string, FleetRow> {
  const now = full || before === undefined ? new Map<string, FleetRow>() : new Map(before);
  for (const row of rows) now.set(row.key, row);
  for (const key of gone) now.delete(key);
  return now;
}

export const orders = ["name", "id", "state", "kind", "jobs"] as const;
export type Order = (typeof orders)[number];

/** What the list shows. */
export const query = signal("");
export const stateFilter = signal<FleetRow["state"] | "all">("all");
export const kindFilter = signal<FleetRow["kind"] | "all">("all");
export const order = signal<Order>("name");

const stateRank = { unresponsive: 0, live: 1, away: 2 } as const;
const compareNames = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;

const comparisons: { readonly [O in Order]: (a: FleetRow, b: FleetRow) => number } = {
  name: (a, b) => compareNames(titleOf(a), titleOf(b)),
  id: (a, b) => (a.id ?? Number.POSITIVE_INFINITY) - (b.id ?? Number.POSITIVE_INFINITY),
  state: (a, b) => stateRank[a.state] - stateRank[b.state],
  kind: (a, b) => compareNames(a.kind, b.kind),
  jobs: (a, b) => b.runningJobs - a.runningJobs,
};

/** The rows that fit, in order. */
export const shownRows = computed<readonly FleetRow[]>(() =>
  selectRows([...(fleet.value?.values() ?? [])], {
    query: query.value,
    state: stateFilter.value,
    kind: kindFilter.value,
    order: order.value,
  }),
);

interface Selection {
  readonly query: string;
  readonly state: FleetRow["state"] | "all";
  readonly kind: FleetRow["kind"] | "all";
  readonly order: Order;
}

export function selectRows(rows: readonly FleetRow[], selection: Selection): readonly FleetRow[] {
  const words = selection.query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row: FleetRow) => {
    if (selection.state !== "all" && row.state !== selection.state) return false;
    if (selection.kind !== "all" && row.kind !== selection.kind) return false;
    if (words.length === 0) return true;
    const text = `#${row.id ?? ""} ${row.label ?? ""} ${row.kind} ${row.world ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const compare = comparisons[selection.order];
  return rows
    .filter(fits)
    .sort((a, b) => compare(a, b) || (a.id ?? 0) - (b.id ?? 0) || (a.key < b.key ? -1 : 1));
}

/** What to call a row: its label, or what it is. */
export function titleOf({ label, id, name }: FleetRow): string {
  if (label !== null && label !== "") return label;
  return id === null ? name : `Computer ${id}`;
}
