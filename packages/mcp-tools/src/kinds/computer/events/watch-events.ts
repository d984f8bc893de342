import { type EventWatch, MAX_EVENT_WATCHES } from "@ccbridge/protocol";
import { computerName, findComputer } from "@ccbridge/registry";
import { z } from "zod";
import { changes } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { toJson } from "../../../format/set-apart.js";
import { quickly, requireMethod, resultOf } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { cursorOut, eventName, listedFilter, refuseVainFilter, watchesOut } from "./common.js";
import { watchText } from "./show-event.js";

export const watchEvents = defineTool({
  name: "watch-events",
  title: "Watch events",
  description:
    "Keeps a computer's events for you (redstone, peripheral, rednet_message, chat, monitor_touch, " +
    "anything programs queue); without events it shows what is watched. Read them with " +
    "get-events or wait-for-event.",
  input: z.object({
    ...target,
    events: z
      .array(
        z.union([eventName, z.object({ name: eventName, filter: listedFilter })], {
          error:
            'must be a name of 1 to 128 characters, or { name, filter } where the filter gives arguments by position, as in { "2": 7 }',
        }),
      )
      .max(MAX_EVENT_WATCHES)
      .default([])
      .describe(
        'Names ("redstone", "turtle_*"), or {"name":"modem_message","filter":{"2":7}} with required arguments.',
      ),
    mode: z
      .enum(["set", "add", "remove"])
      .default("add")
      .describe("Whether to replace your list with these, add them or remove them."),
  }),
  output: z.object({
    ...computerShape,
    watches: watchesOut,
    cursor: cursorOut,
  }),
  annotations: changes,
  async handler({ computerId, events, mode }, context) {
    const { providers } = context;
    const computer = await findComputer(providers, computerId);
    requireMethod(context, computer, "watch-events");
    const cursor = (await providers.events.get(computer.key))?.end ?? 0;
    const named = events.map(
      (event): EventWatch => (typeof event === "string" ? { name: event } : event),
    );
    if (mode !== "remove") named.forEach(refuseVainFilter);
    if (named.length > 0 || mode === "set") {
      const change = { mode, watches: named };
      const response = await providers.events.watch(computer.key, change, quickly(context));
      resultOf(context, computer, "watch-events", response);
    }
    const name = computerName(computer.identity);
    const view = await providers.events.get(computer.key);
    const watches = view?.watches ?? [];
    const others = view?.othersWatch ?? [];
    const lines = [
      watches.length === 0
        ? `You watch no events of ${name}. Events already kept stay available: get-events shows them.`
        : `You watch on ${name}: ${watches.map(watchText).join("; ")}.`,
      others.length === 0
        ? undefined
        : `Other clients also watch: ${others.map(watchText).join("; ")}.`,
      watches.length === 0
        ? undefined
        : `Read them with get-events ${toJson({ computerId, cursor })}, or wait for one with wait-for-event.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: () => ({ ...computerFacts(computer), watches: [...watches], cursor }),
    };
  },
});
