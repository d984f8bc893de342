import { z } from "zod";
import { destructive } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { askComputer } from "../ask.js";
import { target } from "../computer.js";
import { LeavingSchema, leaving } from "./leaving.js";
import { watchLink } from "./link-watch.js";

/** How long a computer may take to go off, which is half a second in a game that keeps up. */
const OFF_MS = 15_000;

export const shutdownComputer = defineTool({
  name: "shutdown-computer",
  title: "Shut a computer down",
  description:
    "Switches a computer off: every program and job on it ends, its redstone outputs go off, its files " +
    "stay. It cannot be switched on from here: a player must do it, or a computer next to it " +
    "(call-peripheral, method turnOn). To start it anew use reboot-computer instead.",
  input: z.object(target),
  output: z.object({
    ...LeavingSchema,
    off: z.boolean().describe("Whether its link is gone."),
  }),
  annotations: destructive,
  async handler({ computerId }, context) {
    const { providers, signal, gone = signal } = context;
    const computer = await providers.find(computerId);
    const { facts, lost } = leaving(computer);
    const watch = watchLink(providers, computer.key);
    try {
      await askComputer(context, computer, "shutdown-computer", {});
      await watch.until(() => watch.isGone, { timeoutMs: OFF_MS, signal: gone });
    } finally {
      watch.end();
    }
    const { isGone: off } = watch;
    const structured = { ...facts, off };
    if (off)
      return {
        text: `${computer.name} is off.${lost} Only a player or a neighbour computer can switch it on.`,
        structured,
      };
    return {
      text: `${computer.name} was told to shut down, but is still linked after ${OFF_MS / 1_000} s: its server may lag. Call list-computers to see when it is gone.`,
      structured,
      isError: true,
    };
  },
});
