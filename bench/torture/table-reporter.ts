import type { Reporter, TestCase } from "vitest/node";

export default class TableReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  onTestRunStart(): void {
    console.log("program                              job         probe  result");
    console.log("-----------------------------------  ----------  -----  ------");
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === "skipped") this.#skipped++;
    else if (state === "passed") this.#passed++;
    else this.#failed++;
    const row = test.meta().row;
    const probe = row?.probeMs === undefined ? "-" : `${row.probeMs}`;
    const result =
      state === "failed" ? `FAIL ${row?.problem ?? ""}` : state === "passed" ? "ok" : state;
    console.log(
      `${test.name.padEnd(37)}${(row?.state ?? "-").padEnd(12)}${probe.padStart(5)}  ${result.replace(/\s+/g, " ")}`,
    );
  }

  onTestRunEnd(_: unknown, errors: readonly { message: string }[]): void {
    for (const { message } of errors) console.log(message);
    console.log(`\n${this.#passed} survived, ${this.#failed} failed, ${this.#skipped} skipped`);
  }
}
