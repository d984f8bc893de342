import type { FleetRow, TopicData } from "@ccbridge/protocol/dashboard";
import { computed, signal } from "@preact/signals";
import { watch } from "./wire/connection.js";

export const fleet = signal<ReadonlyMap<string, FleetRow> | undefined>(undefined);

export const fleetProblem = signal<string | undefined>(undefined);

export function followFleet(): void {
  watch(
    "fleet",
    {},
    (data) => {
      fleet.value = withChanges(fleet.peek(), data);
      fleetProblem.value = undefined;
    },
    (problem) => {
      fleetProblem.value = problem;
    },
  );
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

export const orders = ["name", "id", "state", "kind", "jobs", "seen"] as const;
export type Order = (typeof orders)[number];

export const query = signal("");
export const stateFilter = signal<FleetRow["state"] | "all">("all");
export const kindFilter = signal("all");
export const order = signal<Order>("name");

const stateRank = { unresponsive: 0, live: 1, away: 2 } as const;

const comparisons: { readonly [O in Order]: (a: FleetRow, b: FleetRow) => number } = {
  name: () => 0,
  id: (a, b) => (a.id ?? Number.MAX_VALUE) - (b.id ?? Number.MAX_VALUE),
  state: (a, b) => stateRank[a.state] - stateRank[b.state],
  kind: (a, b) => compareTexts(a.kind, b.kind),
  jobs: (a, b) => b.runningJobs - a.runningJobs,
  seen: (a, b) => seenAt(b) - seenAt(a),
};

function seenAt({ state, lastSeenAt }: FleetRow): number {
  return state === "live" ? Number.MAX_VALUE : (lastSeenAt ?? 0);
}

/** Sort and search keys, cached per row object: a changed row is a new object. */
interface Made {
  /** Natural sort key: `farm 2` before `Farm 10`. */
  readonly place: string;
  readonly searched: string;
}

const made = new WeakMap<FleetRow, Made>();

function madeOf(row: FleetRow): Made {
  const known = made.get(row);
  if (known !== undefined) return known;
  const facts = {
    place: plain(titleOf(row)).replace(/\d+/g, (digits) => digits.padStart(16, "0")),
    searched: `#${row.id ?? ""} ${row.label ?? ""} ${row.kind} ${row.world ?? ""}`.toLowerCase(),
  };
  made.set(row, facts);
  return facts;
}

function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

let lastOrder: readonly FleetRow[] = [];
const orderedRows = computed<readonly FleetRow[]>(() => {
  const rest = new Map(fleet.value);
  const rows: FleetRow[] = [];
  for (const { key } of lastOrder) {
    const row = rest.get(key);
    if (row !== undefined) rows.push(row);
    rest.delete(key);
  }
  rows.push(...rest.values());
  lastOrder = sortRows(rows, order.value);
  return lastOrder;
});

export const shownRows = computed<readonly FleetRow[]>(() =>
  filterRows(orderedRows.value, {
    query: query.value,
    state: stateFilter.value,
    kind: kindFilter.value,
  }),
);

export const stateCounts = computed(() => {
  const counts = { all: 0, live: 0, unresponsive: 0, away: 0 };
  for (const { state } of fleet.value?.values() ?? []) {
    counts.all += 1;
    counts[state] += 1;
  }
  return counts;
});

export const kindNames = computed<readonly string[]>(() => {
  const names = new Set([...(fleet.value?.values() ?? [])].map(({ kind }) => kind));
  if (kindFilter.value !== "all") names.add(kindFilter.value);
  return [...names].sort();
});

const computerKinds = ["computer", "turtle", "pocket", "command"];

export function isComputer(kind: string): boolean {
  return computerKinds.includes(kind);
}

interface Selection {
  readonly query: string;
  readonly state: FleetRow["state"] | "all";
  readonly kind: string;
}

export function sortRows(rows: FleetRow[], by: Order): readonly FleetRow[] {
  const compare = comparisons[by];
  return rows.sort(
    (a, b) =>
      compare(a, b) ||
      compareTexts(madeOf(a).place, madeOf(b).place) ||
      (a.id ?? 0) - (b.id ?? 0) ||
      compareTexts(a.key, b.key),
  );
}

export function filterRows(rows: readonly FleetRow[], selection: Selection): readonly FleetRow[] {
  const { state, kind } = selection;
  const words = selection.query.toLowerCase().split(/\s+/).filter(Boolean);
  if (state === "all" && kind === "all" && words.length === 0) return rows;
  return rows.filter(
    (row) =>
      (state === "all" || row.state === state) &&
      (kind === "all" || row.kind === kind) &&
      words.every((word) => madeOf(row).searched.includes(word)),
  );
}

export function titleOf({ label, id, name }: FleetRow): string {
  if (label !== null && label !== "") return label;
  // Pages without a title: their kind is shown beside it.
  return id === null ? name.replace(/^page (?=https?:)/, "") : `Computer ${id}`;
}

/** Linked computers whose program is older than the bridge, which can update it. */
export function outdated(rows: Iterable<FleetRow>, version: string): FleetRow[] {
  return [...rows].filter(
    ({ state, program }) => state === "live" && program !== null && isOlder(program, version),
  );
}

function isOlder(version: string, than: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(than)];
  const index = own.findIndex((number, place) => number !== other[place]);
  return index >= 0 && (own[index] ?? 0) < (other[index] ?? 0);
}

function numbersOf(version: string): number[] {
  return (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
}
