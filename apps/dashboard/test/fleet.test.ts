import type { FleetRow } from "@ccbridge/protocol/dashboard";
import { expect, it, vi } from "vitest";
import type { Order } from "../src/fleet.js";

vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {} });
const { filterRows, outdated, sortRows } = await import("../src/fleet.js");

function row(id: number, facts: Partial<FleetRow> = {}): FleetRow {
  return {
    key: `k${id}`,
    kind: "computer",
    name: `computer ${id}`,
    id,
    label: null,
    world: null,
    state: "live",
    linkedAt: 0,
    lastSeenAt: 0,
    runningJobs: 0,
    advanced: true,
    program: null,
    lock: null,
    place: null,
    bridge: null,
    ...facts,
  };
}

const rows = [
  row(10, { label: "Farm 10", kind: "turtle" }),
  row(2, { label: "Farm 2", kind: "turtle", state: "away" }),
  row(1, { world: "survival", runningJobs: 3 }),
];
const all = { query: "", state: "all", kind: "all" } as const;
type Selection = Partial<Parameters<typeof filterRows>[1]>;
const ids = ({ order = "name", ...selection }: Selection & { order?: Order }) =>
  filterRows(sortRows([...rows], order), { ...all, ...selection }).map(({ id }) => id);

it("the list is sorted as people count", () => {
  expect(ids({})).toEqual([1, 2, 10]);
  expect(ids({ order: "id" })).toEqual([1, 2, 10]);
  expect(ids({ order: "state" })).toEqual([1, 10, 2]);
  expect(ids({ order: "jobs" })[0]).toBe(1);
  expect(ids({ order: "seen" })).toEqual([1, 10, 2]);
});

it("the list is searched by all words, in label, number, kind and world", () => {
  expect(ids({ query: "farm turtle" })).toEqual([2, 10]);
  expect(ids({ query: "#1" })).toEqual([1, 10]);
  expect(ids({ query: "SURVIVAL" })).toEqual([1]);
  expect(ids({ query: "<" })).toEqual([]);
  expect(ids({ state: "away" })).toEqual([2]);
  expect(ids({ kind: "turtle", query: "10" })).toEqual([10]);
});

it("titles are sorted without case and accents, and the same ones by number and key", () => {
  const named = (id: number, label: string) => row(id, { label });
  const mixed = [
    named(5, "zoo"),
    named(4, "Élan"),
    named(3, "eagle"),
    named(2, "Zoo"),
    named(1, "zoo"),
  ];
  expect(sortRows(mixed, "name").map(({ id }) => id)).toEqual([3, 4, 1, 2, 5]);
});

it("finds linked computers whose program is older than the bridge", () => {
  const fleet = [
    row(1, { program: "0.9.9" }),
    row(2, { program: "0.10.0" }),
    row(3, { program: "1.0.0" }),
    row(4, { program: "0.1.0", state: "away" }),
    row(5),
    row(6, { program: "0.0.0-dev" }),
    row(7, { program: "unknown" }),
  ];
  expect(outdated(fleet, "0.10.0").map(({ id }) => id)).toEqual([1, 6]);
});
