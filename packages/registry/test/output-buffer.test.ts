import fc from "fast-check";
import { expect, it } from "vitest";
import { OutputBuffer } from "../src/index.js";

it("keeps the newest text up to its bound and counts the rest", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 40 })),
      fc.integer({ min: 1, max: 60 }),
      (parts, max) => {
        const buffer = new OutputBuffer(max);
        for (const part of parts) buffer.push(part);
        const all = parts.join("");
        const kept = all.slice(Math.max(0, all.length - max));
        expect(buffer.toString()).toBe(kept);
        expect(buffer.dropped).toBe(all.length - kept.length);
      },
    ),
  );
});
