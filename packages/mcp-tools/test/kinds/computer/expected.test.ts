import { describe, expect, it } from "vitest";
import { linkedAtTheEnd } from "../../../src/kinds/computer/core/expected.js";

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const stopped = "the bridge is shutting down";

type Link = [hoursAgo: number, key: string, change: "linked" | "unlinked", reason?: string];

function expectedAfter(...links: Link[]): string[] {
  const entries = links
    .map(([hours, key, change, reason = null]) => {
      return { key, time: NOW - hours * HOUR, change, reason };
    })
    .sort((a, b) => b.time - a.time);
  return [...linkedAtTheEnd(entries, NOW)].sort();
}

describe("who is expected back after a start", () => {
  it("are those that the bridge left when it stopped, not those that had left", () => {
    const links: Link[] = [
      [9, "a", "linked"],
      [8, "b", "linked"],
      [7, "gone", "linked"],
      [6, "gone", "unlinked", "the socket was closed"],
      [2, "a", "unlinked", stopped],
      [2, "b", "unlinked", stopped],
    ];
    expect(expectedAfter(...links)).toEqual(["a", "b"]);
  });

  it("are those that were linked when it was killed, however long ago they had come", () => {
    expect(expectedAfter([90, "a", "linked"], [3, "b", "linked"])).toEqual(["a", "b"]);
  });

  it("are not those that an earlier bridge left and a later one never saw", () => {
    const earlier: Link[] = [
      [9, "a", "unlinked", stopped],
      [9, "never back", "unlinked", stopped],
      [8, "a", "linked"],
    ];
    expect(expectedAfter(...earlier, [2, "a", "unlinked", stopped])).toEqual(["a"]);
    expect(expectedAfter(...earlier)).toEqual(["a"]);
    // Linked when the bridge was killed, and not there when the next one stopped.
    const killed: Link = [20, "lost", "linked"];
    expect(expectedAfter(killed, ...earlier)).toEqual(["a"]);
  });

  it("are still those of the last stop when the bridge is started twice in a row", () => {
    const minute = 1 / 60;
    expect(
      expectedAfter(
        [2 * minute, "a", "unlinked", stopped],
        [2 * minute, "b", "unlinked", stopped],
        [minute, "a", "linked"],
      ),
    ).toEqual(["a", "b"]);
    expect(
      expectedAfter(
        [2 * minute, "a", "unlinked", stopped],
        [2 * minute, "b", "unlinked", stopped],
        [1.5 * minute, "a", "linked"],
        [minute, "a", "unlinked", stopped],
      ),
    ).toEqual(["a", "b"]);
  });
});
