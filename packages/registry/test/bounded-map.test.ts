import { describe, expect, it } from "vitest";
import { BoundedMap } from "../src/budget.js";

describe("BoundedMap", () => {
  it("drops the oldest entry when it is full", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("c", 3);
    expect([...map]).toEqual([
      ["b", 2],
      ["c", 3],
    ]);
  });

  it("counts an entry that is set again as the newest", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    expect([...map.keys()]).toEqual(["a", "c"]);
  });

  it("hands out what it drops for lack of room, and nothing else", () => {
    const dropped: number[] = [];
    const map = new BoundedMap<string, number>(1, (value) => dropped.push(value));
    map.set("a", 1).set("a", 2).set("b", 3);
    map.delete("b");
    expect(dropped).toEqual([2]);
  });

  it("keeps a key whose value is undefined, and drops an undefined key like any other", () => {
    const map = new BoundedMap<string | undefined, undefined>(1);
    map.set(undefined, undefined);
    expect(map.size).toBe(1);
    map.set("a", undefined);
    expect([...map.keys()]).toEqual(["a"]);
  });
});
