import type { FleetRow } from "@ccbridge/protocol/dashboard";
import { expect, it, vi } from "vitest";

// The page's modules look at the browser when they are loaded.
vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {} });
const { selectRows } = await import("../src/fleet.js");

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
    ...facts,
  };
}

const rows = [
  row(10, { label: "Farm 10", kind: "turtle" }),
  row(2, { label: "Farm 2", kind: "turtle", state: "away" }),
  row(1, { world: "survival", runningJobs: 3 }),
];
const all = { query: "", state: "all", kind: "all", order: "name" } as const;
const ids = (selection: Partial<Parameters<typeof selectRows>[1]>) =>
  selectRows(rows, { ...all, ...selection }).map(({ id }) => id);

it("the list is sorted as people count", () => {
  expect(ids({})).toEqual([1, 2, 10]);
  expect(ids({ order: "id" })).toEqual([1, 2, 10]);
  expect(ids({ order: "state" })).toEqual([1, 10, 2]);
  expect(ids({ order: "jobs" })[0]).toBe(1);
});

it("the list is searched by all words, in label, number, kind and world", () => {
  expect(ids({ query: "farm turtle" })).toEqual([2, 10]);
  expect(ids({ query: "#1" })).toEqual([1, 10]);
  expect(ids({ query: "SURVIVAL" })).toEqual([1]);
  expect(ids({ query: "<" })).toEqual([]);
  expect(ids({ state: "away" })).toEqual([2]);
  expect(ids({ kind: "turtle", query: "10" })).toEqual([10]);
});
