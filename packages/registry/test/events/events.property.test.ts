import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryEventLog } from "../../src/events/memory-event-log.js";

type Step =
  | { do: "push"; size: number; dropped: number; name: string }
  | { do: "read"; reader: number; limit: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("push" as const),
        size: fc.integer({ min: 0, max: 600 }),
        dropped: fc.integer({ min: 0, max: 3 }),
        name: fc.constantFrom("a", "b"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("read" as const),
        reader: fc.integer({ min: 0, max: 2 }),
        limit: fc.integer({ min: 1, max: 5 }),
      }),
    },
  ),
  { maxLength: 120 },
);

describe("the ring of events, whatever is done to it", () => {
  it("no reader ever skips or repeats one, and all that is missing is counted", () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 300, max: 2_000 }),
        (run: Step[], maxEvents, maxBytes) => {
          const log = new MemoryEventLog({ maxEvents, maxBytes });
          let pushed = 0;
          let dropped = 0;
          const readers = [0, 0, 0].map(() => ({ cursor: 0, accounted: 0 }));
          const read = (reader: (typeof readers)[number], limit: number) => {
            const page = log.read({ cursor: reader.cursor, limit });
            expect(page.events.length).toBeLessThanOrEqual(limit);
            page.events.forEach((event, index) => {
              expect(event.seq).toBe(reader.cursor + page.missed + index);
            });
            reader.accounted += page.missed + page.events.length;
            expect(page.next).toBe(reader.cursor + page.missed + page.events.length);
            reader.cursor = page.next;
            return page;
          };
          for (const step of run) {
            if (step.do === "push") {
              const { name, size, dropped: lost } = step;
              log.append({ name, args: ["x".repeat(size)], size: size + 4, dropped: lost });
              pushed += 1;
              dropped += step.dropped;
            } else {
              const reader = readers[step.reader];
              if (reader !== undefined) read(reader, step.limit);
            }
            expect(log.end).toBe(pushed);
            expect(log.dropped).toBe(dropped);
            expect(log.end - log.first).toBeLessThanOrEqual(maxEvents);
            if (log.end - log.first > 1) expect(log.bytes).toBeLessThanOrEqual(maxBytes);
          }
          for (const reader of readers) {
            while (read(reader, 3).events.length > 0);
            expect(reader.accounted).toBe(pushed);
          }
        },
      ),
    );
  });

  it("a reader of one name sees exactly those of that name that were kept", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b"), { maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 5 }),
        (names, maxEvents, limit) => {
          const log = new MemoryEventLog({ maxEvents, maxBytes: 1_000_000 });
          for (const name of names) log.append({ name, args: [], size: 2 });
          const seen: number[] = [];
          let cursor = 0;
          for (;;) {
            const page = log.read({ cursor, limit, matches: ({ name }) => name === "a" });
            seen.push(...page.events.map(({ seq }) => seq));
            if (page.next === cursor) break;
            cursor = page.next;
          }
          const wanted = names
            .map((name, seq) => ({ name, seq }))
            .slice(-maxEvents)
            .filter(({ name }) => name === "a");
          expect(seen).toEqual(wanted.map(({ seq }) => seq));
          expect(cursor).toBe(names.length);
        },
      ),
    );
  });
});
