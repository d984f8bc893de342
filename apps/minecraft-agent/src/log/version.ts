import { open } from "node:fs/promises";
import { factOf } from "./facts.js";
import { parseLogLine } from "./line.js";

/** The version is among the first lines; mod loaders write some hundred before it. */
const HEAD_BYTES = 256 * 1_024;

/** The version of the game that a log begins with. Undefined where there is none, or no log. */
export async function loggedVersion(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      for (const text of buffer.toString("utf8", 0, bytesRead).split("\n")) {
        const line = parseLogLine(text);
        const fact = line === undefined ? undefined : factOf(line);
        if (fact?.kind === "version") return fact.version;
      }
    } finally {
      await file.close();
    }
  } catch {
    // The tail reports a log that cannot be read.
  }
  return undefined;
}
