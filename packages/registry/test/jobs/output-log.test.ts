import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputLog } from "../../src/jobs/output-log.js";

describe("the output log", () => {
  it("pages through everything it kept, in order, whatever the sizes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 40 })),
        fc.integer({ min: 2, max: 200 }),
        fc.integer({ min: 2, max: 30 }),
        (parts, maxLength, pageLength) => {
          const log = new OutputLog(maxLength);
          for (const part of parts) log.push(part);
          const all = parts.join("");
          expect(log.end).toBe(all.length);
          expect(log.toString()).toBe(all.slice(log.dropped));
          expect(log.dropped).toBe(Math.max(0, all.length - maxLength));
          let cursor = 0;
          let read = "";
          let missed = 0;
          while (cursor < log.end) {
            const page = log.read(cursor, pageLength);
            expect(page.next).toBeGreaterThan(cursor);
            missed += page.missed;
            read += page.text;
            cursor = page.next;
          }
          expect(read).toBe(all.slice(log.dropped));
          expect(missed).toBe(log.dropped);
        },
      ),
    );
  });
});
