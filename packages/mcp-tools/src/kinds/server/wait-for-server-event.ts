import { z } from "zod";
import { readOnly } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { reportWaiting } from "../../core/progress.js";
import { MAX_WAIT_MS } from "../../core/times.js";
import { toJson } from "../../format/set-apart.js";
import { EventSchema, eventLine, findEvents, lossLine, toServerEvent, types } from "./events.js";
import { onServer } from "./link-errors.js";
import { target } from "./server.js";

const DEFAULT_WAIT_MS = 30_000;

export const waitForServerEvent = defineTool({
  name: "wait-for-server-event",
  title: "Wait for a server event",
  description:
    "Waits for an event on a Minecraft server and returns it. Pass the cursor of the last answer to " +
    "miss nothing; without one only events from now on count.",
  input: z.object({
    ...target,
    types,
    cursor: z.int().nonnegative().optional().describe("Start from this cursor. Default: now."),
    waitMs: z.int().min(0).max(MAX_WAIT_MS).default(DEFAULT_WAIT_MS).describe("At most 50000."),
  }),
  output: z.object({
    found: z.boolean(),
    event: EventSchema.optional(),
    cursor: z.int().describe("Pass this on to continue from here."),
  }),
  annotations: readOnly,
  async handler({ server, types: kinds, cursor, waitMs }, context) {
    const { providers, signal } = context;
    const view = await onServer(findEvents(context, server));
    const name = view.identity.name;
    const progress = reportWaiting(`still waiting for an event on ${name}`, context.progress);
    const page = await providers.events.wait(view.key, {
      cursor: cursor ?? view.end,
      watch: kinds.length === 0 ? { name: "*" } : kinds.map((kind) => ({ name: kind })),
      timeoutMs: waitMs,
      signal,
    });
    progress.end();
    const [first] = page.events;
    const event = first === undefined ? undefined : toServerEvent(view, first);
    const next = toJson({ server, types: kinds, cursor: page.next });
    const lines = [
      event === undefined
        ? `No such event on ${name} within ${waitMs} ms.`
        : `On ${name}: ${eventLine(event)}`,
      lossLine(page),
      `To keep waiting: wait-for-server-event ${next}.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: () => ({
        found: event !== undefined,
        ...(event === undefined ? {} : { event }),
        cursor: page.next,
      }),
    };
  },
});
