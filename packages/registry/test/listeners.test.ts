import fc from "fast-check";
import { expect, it } from "vitest";
import { Listeners } from "../src/listeners.js";

it("listeners are told in their order, each once, and may stop listening while they are told", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("add" as const, "delete" as const), who: fc.nat(4) }),
    fc.record({ kind: fc.constant("tell" as const), who: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(step), fc.nat(4), (steps, leaver) => {
      const listeners = new Listeners();
      const model = new Set<number>();
      let told: number[] = [];
      const all = [0, 1, 2, 3, 4].map((who) => () => {
        told.push(who);
        if (who === leaver) listeners.delete(all[who] ?? (() => {}));
      });
      for (const { kind, who } of steps) {
        const listener = all[who] ?? (() => {});
        if (kind === "add" && !model.has(who)) {
          model.add(who);
          listeners.add(listener);
        } else if (kind === "delete") {
          model.delete(who);
          listeners.delete(listener);
        } else if (kind === "tell") {
          told = [];
          listeners.tell();
          expect(told).toEqual([...model]);
          model.delete(leaver);
        }
        expect(listeners.isEmpty).toBe(model.size === 0);
      }
    }),
  );
});
