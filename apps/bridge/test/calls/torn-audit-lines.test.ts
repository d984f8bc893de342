import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AuditFile } from "../../src/calls/audit/audit-file.js";
import { scratchDirectory } from "../helpers/scratch.js";

const sizes = { maxBytes: 1_000_000, keep: 1 };

it("a line of the audit that was cut by a full disk or a crash does not spoil the next one", () => {
  const path = join(scratchDirectory(), "audit.log");
  writeFileSync(path, '{"event":"call"}\n{"event":"ca');
  const file = new AuditFile({ path, ...sizes });
  file.write({ event: "link" });
  file.reopen();
  file.write({ event: "unlink" });
  file.close();
  expect(readFileSync(path, "utf8")).toBe(
    '{"event":"call"}\n{"event":"ca\n{"event":"link"}\n{"event":"unlink"}\n',
  );
});
