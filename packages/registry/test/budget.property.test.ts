import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Budget } from "../src/budget.js";

const peers = fc.constantFrom("a", "b", "c", "d");
const actions = fc.array(
  fc.record({
    peer: peers,
    bytes: fc.integer({ min: 1, max: 60 }),
    kind: fc.constantFrom("take", "give", "set", "release"),
  }),
);

describe("Budget", () => {
  it("never takes more than its bounds, and its total is the sum of what is held", () => {
    fc.assert(
      fc.property(actions, (steps) => {
        const budget = new Budget<string>({ total: 100, perPeer: 50 });
        const model = new Map<string, number>();
        for (const { peer, bytes, kind } of steps) {
          const held = model.get(peer) ?? 0;
          const sum = [...model.values()].reduce((a, b) => a + b, 0);
          if (kind === "take") {
            const fits = held + bytes <= 50 && sum + bytes <= 100;
            expect(budget.take(peer, bytes)).toBe(fits);
            if (fits) model.set(peer, held + bytes);
          } else if (kind === "give") {
            const given = Math.min(bytes, held);
            budget.give(peer, given);
            model.set(peer, held - given);
          } else {
            const now = kind === "set" ? bytes : 0;
            if (kind === "set") budget.set(peer, now);
            else budget.release(peer);
            model.set(peer, now);
          }
          expect(budget.held(peer)).toBe(model.get(peer) ?? 0);
          expect(budget.total).toBe([...model.values()].reduce((a, b) => a + b, 0));
        }
      }),
    );
  });

  it("sheds the worst peers first, and no more of them than it must", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 12 }), (sizes) => {
        const budget = new Budget<number>({ total: 100 });
        for (const [peer, bytes] of sizes.entries()) budget.set(peer, bytes);
        const dropped: number[] = [];
        budget.shed((_, bytes) => dropped.push(bytes));
        expect(budget.isOver).toBe(false);
        expect(dropped).toEqual([...dropped].sort((a, b) => b - a));
        const last = dropped.at(-1);
        if (last !== undefined) expect(budget.total + last).toBeGreaterThan(100);
        for (const [, bytes] of budget.peers()) expect(bytes).toBeLessThanOrEqual(last ?? 100);
      }),
    );
  });
});
