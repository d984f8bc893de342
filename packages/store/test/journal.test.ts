import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsOf, rowText } from "../src/journal.js";
import type { CallRow, JobRow, LinkRow } from "../src/rows.js";
import { call } from "./helpers.js";

const id = fc.constantFrom("a", "b", "c");
const text = fc.string({ unit: "binary" });
const json = fc.dictionary(text, fc.jsonValue());

const jobRow: fc.Arbitrary<JobRow> = fc.record({
  table: fc.constant("jobs"),
  ...{ id, key: id, client: fc.option(id), trace: fc.option(id) },
  ...{ created: fc.nat(), ended: fc.option(fc.nat()), data: json, payload: json },
});

const callRow: fc.Arbitrary<CallRow> = fc.record({
  table: fc.constant("calls"),
  ...{
    trace: id,
    time: fc.nat(),
    client: id,
    session: text,
    software: fc.option(text),
    tool: text,
  },
  ...{ acts: fc.boolean(), job: fc.option(id), path: fc.option(text), subject: fc.option(text) },
  ...{ outcome: text, durationMs: fc.nat(), approvedBy: fc.option(text), args: json, answer: text },
  targets: fc.array(fc.record({ key: id, name: text }), { maxLength: 2 }),
});

const linkRow: fc.Arbitrary<LinkRow> = fc.record({
  table: fc.constant("links"),
  ...{ time: fc.nat(), key: id, name: text, what: text, reason: fc.option(text) },
});

describe("the text of a batch", () => {
  it("has its rows as they were", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(jobRow, callRow, linkRow)), (rows) => {
        // What JSON makes of a number such as -0 is the same for all.
        const plain = JSON.parse(JSON.stringify(rows));
        expect(rowsOf(`[${rows.map(rowText).join(",")}]`)).toEqual(plain);
      }),
    );
  });

  it("names no column of calls and jobs", () => {
    const text = rowText(call("t1"));
    for (const column of ["trace", "software", "targets"]) expect(text).not.toContain(column);
  });
});
