import { expect, it } from "vitest";
import type { Caller } from "../../../src/calls/caller.js";
import { PollGroups } from "../../../src/calls/poll-groups.js";

function clock() {
  let now = 0;
  const groups = new PollGroups(() => now);
  const caller: Caller = {
    client: { name: "kim", rights: { mode: "all" } },
    session: "s",
    software: () => undefined,
  };
  const watching = {
    goesOn: (polled: string) => groups.continues(caller, polled),
    end: (polled: string) => groups.end(caller, polled),
  };
  return { watching, pass: (ms: number) => (now += ms) };
}

it("the calls of a minute at one thing are one look, and each thing has its own", () => {
  const { watching, pass } = clock();
  expect([watching.goesOn("a"), watching.goesOn("a"), watching.goesOn("b")]).toEqual([
    false,
    true,
    false,
  ]);
  pass(59_999);
  expect(watching.goesOn("a")).toBe(true);
  pass(1);
  expect([watching.goesOn("a"), watching.goesOn("a")]).toEqual([false, true]);
});

it("a client that asks more often than a view does is counted again", () => {
  const { watching } = clock();
  const counted = Array.from({ length: 1_800 }, () => watching.goesOn("a")).filter((on) => !on);
  expect(counted).toHaveLength(3);
});

it("a failed look does not count as watching, and a bounded number is remembered", () => {
  const { watching } = clock();
  watching.goesOn("a");
  watching.end("a");
  expect(watching.goesOn("a")).toBe(false);
  for (let at = 0; at < 64; at++) watching.goesOn(String(at));
  expect([watching.goesOn("63"), watching.goesOn("a")]).toEqual([true, false]);
});
