import { type Stop, stopOnceStarted } from "@ccbridge/registry";
import { z } from "zod";
import { CallRefused } from "../../calls/rates.js";
import { atComputer, builtIn, factsFrom, notLinked, polled } from "../context/tools.js";
import type { ViewerCalls } from "../context/viewer-calls.js";

const POLL_MS = 2_000;
const MAX_WAIT_MS = 60_000;

const amount = z.union([z.number(), z.literal("unlimited")]);

const TurtleStatusSchema = z.object({
  fuel: amount,
  fuelLimit: amount.nullable(),
  position: z.object({ x: z.number(), y: z.number(), z: z.number() }).nullable(),
  facing: z.enum(["north", "east", "south", "west"]).nullable(),
  certain: z.boolean(),
  note: z.string().optional(),
  selected: z.number(),
  slots: z.array(z.object({ slot: z.number(), item: z.string(), count: z.number() })),
  running: z.boolean(),
});

export type TurtleState =
  | z.infer<typeof TurtleStatusSchema>
  | { readonly problem: string }
  | CallRefused;

/** Polls a turtle, with exponential backoff after a failure, reset when it links again. */
export function pollTurtle(
  calls: ViewerCalls,
  key: string,
  notify: (state: TurtleState) => void,
): Stop {
  const tool = polled(atComputer(builtIn("turtle-status"), key), key);
  const port = calls.only(key);
  let waitMs = POLL_MS;
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let isOver = false;
  const read = async (): Promise<TurtleState> => {
    // A turtle that is away must not count as a failed call.
    if ((await port.list()).length === 0) return { problem: notLinked().message };
    const outcome = await calls.run(tool, {}, port);
    return TurtleStatusSchema.parse(factsFrom(outcome));
  };
  const refresh = async () => {
    clearTimeout(timer);
    if (isPolling) return;
    isPolling = true;
    const state = await read().catch((error: Error) =>
      error instanceof CallRefused ? error : { problem: error.message },
    );
    isPolling = false;
    if (isOver) return;
    notify(state);
    waitMs = "fuel" in state ? POLL_MS : Math.min(MAX_WAIT_MS, waitMs * 2);
    timer = setTimeout(() => void refresh(), waitMs);
    timer.unref();
  };
  const unsubscribe = stopOnceStarted(
    port.changes.subscribe(
      () => {
        waitMs = POLL_MS;
        void refresh();
      },
      { topics: ["linked"] },
    ),
  );
  void refresh();
  return () => {
    isOver = true;
    clearTimeout(timer);
    unsubscribe();
  };
}
