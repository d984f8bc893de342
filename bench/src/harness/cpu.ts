import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export function cpuMs({ pid }: ChildProcess): number | undefined {
  const tasks = `/proc/${pid}/task`;
  try {
    const nanos = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanos.reduce((sum, value) => sum + value, 0) / 1e6;
  } catch {
    return undefined;
  }
}
