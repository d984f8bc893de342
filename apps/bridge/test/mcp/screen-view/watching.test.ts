import { expect, it } from "vitest";
import type { Caller } from "../../../src/calls/caller.js";
import { PollGroups } from "../../../src/calls/rates.js";

function clock() {
  let now = 0;
  const groups = new PollGroups(() => now);
  const caller: Caller = {
    client: { name: "kim", rights: { mode: "all" } },
    session: "s",
    software: () => undefined,
  };
  const polling = {
    continues: (polled: string) => groups.continues(caller, polled),
    end: (polled: string) => groups.end(caller, polled),
  };
  return { polling, pass: (ms: number) => (now += ms) };
}

it("the polls of a minute count as one, separately for each thing", () => {
  const { polling, pass } = clock();
  expect([polling.continues("a"), polling.continues("a"), polling.continues("b")]).toEqual([
    false,
    true,
    false,
  ]);
  pass(59_999);
  expect(polling.continues("a")).toBe(true);
  pass(1);
  expect([polling.continues("a"), polling.continues("a")]).toEqual([false, true]);
});

it("a client that asks more often than a view does is counted again", () => {
  const { polling } = clock();
  const counted = Array.from({ length: 1_800 }, () => polling.continues("a")).filter((on) => !on);
  expect(counted).toHaveLength(3);
});

it("a failed poll does not begin a group, and a bounded number of groups is remembered", () => {
  const { polling } = clock();
  polling.continues("a");
  polling.end("a");
  expect(polling.continues("a")).toBe(false);
  for (let at = 0; at < 64; at++) polling.continues(String(at));
  expect([polling.continues("63"), polling.continues("a")]).toEqual([true, false]);
});
