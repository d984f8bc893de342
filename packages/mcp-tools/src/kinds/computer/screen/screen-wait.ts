import type { Screen } from "@ccbridge/protocol";
import { LinkError } from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { askComputer } from "../ask.js";
import { plainText } from "./rows.js";
import type { Terminal } from "./terminal.js";

const LOOK_MS = 150;
const FOR_TEXT_MS = 10_000;

export const waitFor = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Wait until the screen shows this text.");

interface Seen {
  screen: Screen;
  waiting?: number | undefined;
  ended: boolean;
}

interface Patience {
  waitFor?: string | undefined;
  waitMs?: number | undefined;
}

/**
 * Polls until the screen shows the expected text, changes, or the time is up. `found` is undefined
 * when no text was expected.
 */
export async function awaitScreen(
  context: ToolContext,
  {
    computer,
    ...wanted
  }: Pick<Terminal, "computer"> & { job?: string | undefined; colours?: boolean },
  first: Seen,
  { waitFor, waitMs = waitFor === undefined ? 0 : FOR_TEXT_MS }: Patience,
): Promise<Seen & { found: boolean | undefined; changed: boolean }> {
  const until = performance.now() + waitMs;
  const before = fingerprint(first.screen);
  let seen = first;
  for (;;) {
    const found = waitFor === undefined ? undefined : shows(seen.screen, waitFor);
    const changed = fingerprint(seen.screen) !== before;
    const over = performance.now() >= until || context.signal.aborted;
    if ((found ?? changed) || seen.ended || over) return { ...seen, found, changed };
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    try {
      const { screen, waiting } = await askComputer(context, computer, "read-screen", wanted);
      seen = { screen, waiting, ended: false };
    } catch (error) {
      // The program or its link ended just now: the last screen seen is the result.
      if (!(error instanceof ToolError || error instanceof LinkError)) throw error;
      seen = { ...seen, ended: true };
    }
  }
}

export function shows(screen: Screen, text: string): boolean {
  return plainText(screen).toLowerCase().includes(text.toLowerCase());
}

function fingerprint({ text, cursor }: Screen): string {
  return `${cursor.x},${cursor.y}:${text}`;
}
