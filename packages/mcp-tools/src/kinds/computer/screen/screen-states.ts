import type { Screen } from "@ccbridge/protocol";
import {
  type Cancellation,
  isMissing,
  LinkError,
  type ProviderPort,
  type Stop,
  stopOnceStarted,
  type WatchedScreen,
} from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { askComputer } from "../undo/ask.js";
import type { Terminal } from "./program.js";
import { plainText } from "./rows.js";

/** A view polls, so the watch is kept open between two calls. */
const LINGER_MS = 5_000;

export type ScreenState = WatchedScreen | "away";

/** Keeps only the newest state until it is requested. */
export class ScreenStates {
  readonly #providers: ProviderPort;
  readonly #key: string;
  readonly #job: string | undefined;
  readonly #unsubscribe: Stop;
  #unwatch: Stop | undefined;
  #problem: Error | undefined;
  #newest: ScreenState | undefined;
  #wake: () => void = () => {};

  constructor(providers: ProviderPort, key: string, job: string | undefined) {
    this.#providers = providers;
    this.#key = key;
    this.#job = job;
    this.#unsubscribe = stopOnceStarted(
      providers.changes.subscribe(
        ({ topic }) => (topic === "linked" ? this.#watch() : this.#receive("away")),
        { topics: ["linked", "unlinked"], key },
      ),
    );
    this.#watch();
  }

  /** The newest undelivered state; undefined on timeout or when the caller is gone. Rejects when it cannot be watched. */
  async next(timeoutMs: number, gone: Cancellation): Promise<ScreenState | undefined> {
    if (
      this.#newest === undefined &&
      this.#problem === undefined &&
      timeoutMs > 0 &&
      !gone.aborted
    ) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          gone.removeEventListener("abort", this.#wake);
          resolve();
        };
        gone.addEventListener("abort", this.#wake);
      });
    }
    if (this.#problem !== undefined) throw this.#problem;
    const state = this.#newest;
    this.#newest = undefined;
    return state;
  }

  close(): void {
    this.#unsubscribe();
    this.#unwatch?.();
  }

  #watch(): void {
    if (this.#unwatch !== undefined) return;
    const subject = { what: "screen", job: this.#job, lingerMs: LINGER_MS };
    const starting = this.#providers.watch(this.#key, subject, (state) =>
      this.#receive(state as WatchedScreen),
    );
    this.#unwatch = stopOnceStarted(starting);
    starting.catch((error: Error) => {
      this.#unwatch = undefined;
      if (isMissing(error)) return this.#receive("away");
      this.#problem = error;
      this.#wake();
    });
  }

  #receive(state: ScreenState): void {
    this.#newest = state;
    this.#wake();
  }
}

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
