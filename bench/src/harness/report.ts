import type { Result } from "./measure.js";

export function table(results: readonly Result[]): string {
  const rows = [
    ["", "measure", "bridge", "floor", "ratio", "quartiles", "cpu a call", "bound", ""],
    ...results.map((result) => [
      result.id,
      result.title,
      `${amount(result.bridge)} ${result.unit}`,
      `${amount(result.floor)} ${result.unit}`,
      result.ratio.toFixed(2),
      result.quartiles.map((value) => value.toFixed(2)).join(" .. "),
      cpu(result),
      "atMost" in result.bound ? `<= ${result.bound.atMost}` : `>= ${result.bound.atLeast}`,
      result.pass ? "ok" : "MISSED",
    ]),
  ];
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const line = (row: string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] as number)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

function cpu({ cpuMicros }: Result): string {
  if (cpuMicros === undefined) return "";
  return `${amount(cpuMicros.bridge)} / ${amount(cpuMicros.floor)} us`;
}

function amount(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
