import type { MethodResult } from "@ccbridge/protocol";
import { computerName } from "@ccbridge/registry";
import { z } from "zod";
import { destructive } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { waitMs } from "../../tool/times.js";
import { askComputer } from "../ask.js";
import { target } from "../computer.js";
import { LeavingSchema, leaving } from "./leaving.js";
import { watchLink } from "./link-watch.js";

const BACK_MS = 30_000;

export const rebootComputer = defineTool({
  name: "reboot-computer",
  title: "Reboot a computer",
  description:
    "Starts a computer anew, as a player does by holding Ctrl+R: every program and job on it ends, its " +
    "files stay, and its startup files run. Waits until it is linked again. It comes back by itself only " +
    "if the program mcp-computer starts with it (mcp-computer --autostart, or a startup file); otherwise a player must " +
    "start it, and the answer says so.",
  input: z.object({
    ...target,
    waitMs: waitMs.describe(
      "How long to wait until it is linked again, in milliseconds, at most 50000. Default: 30000. " +
        "0 returns at once.",
    ),
  }),
  output: z.object({
    ...LeavingSchema,
    back: z.boolean().describe("Whether it is linked again."),
    seconds: z.number().describe("How long it took, or was waited for."),
    autostart: z
      .boolean()
      .nullable()
      .describe("Whether mcp-computer --autostart is set up on it; null when it did not say."),
  }),
  annotations: destructive,
  async handler({ computerId, waitMs = BACK_MS }, context) {
    const { providers, settings, signal, gone = signal } = context;
    const computer = await providers.find(computerId);
    const { facts, lost } = leaving(computer);
    const watch = watchLink(providers, computer.key);
    let result: MethodResult<"reboot-computer">;
    const startedAt = performance.now();
    try {
      result = await askComputer(context, computer, "reboot-computer", {});
      await watch.until(() => watch.isBack, { timeoutMs: waitMs, signal: gone });
    } finally {
      watch.end();
    }
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const label = watch.label === undefined ? facts.label : watch.label;
    const name = `computer ${computerName({ ...facts, label })}`;
    const structured = {
      ...facts,
      label,
      back: watch.isBack,
      seconds,
      autostart: result.autostart ?? null,
    };
    if (watch.isBack) {
      return {
        text: `${name} rebooted and is linked again after ${seconds} s.${lost}`,
        structured,
      };
    }
    if (waitMs === 0) {
      return {
        text: `${computer.name} reboots now.${lost} Call list-computers to see when it is back.`,
        structured,
      };
    }
    const where = !watch.isGone
      ? "It was told to reboot, but its old link is still there: its server may lag."
      : "It went down and has not linked again.";
    const why =
      result.autostart === true
        ? "mcp-computer is set to start with it, so it may only be slow: call list-computers in a while."
        : `mcp-computer --autostart is not set up on it, so it may not start by itself: call list-computers in a while, or ask the player to type on it: ${settings.linkCommand}`;
    return {
      text: `${computer.name} is not back after ${seconds} s. ${where}${lost}\n${why}`,
      structured,
      isError: true,
    };
  },
});
