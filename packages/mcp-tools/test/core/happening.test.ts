import { expect, it } from "vitest";
import { meets } from "../../src/core/happening.js";

it("a condition on a side means that it went on or off, not that it did not change", () => {
  const leftWentOn = { name: "redstone", args: [], facts: { left: 15 } };
  const leftWentOff = { name: "redstone", args: [], facts: { left: 0 } };
  const filters = [{ left: true }, { left: false }, { top: true }, { top: false }, { left: 15 }];
  expect(filters.map((filter) => meets(filter, leftWentOn))).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
  expect(filters.map((filter) => meets(filter, leftWentOff))).toEqual([
    false,
    true,
    false,
    false,
    false,
  ]);
});

it("a field that is missing is off, as in Lua", () => {
  const chat = { name: "chat", args: [{ player: "Ann" }] };
  expect(meets({ isHidden: false }, chat)).toBe(true);
  expect(meets({ isHidden: true }, chat)).toBe(false);
});
