import { computerName, type Link, type Registry } from "@ccbridge/registry";
import { z } from "zod";
import { ask } from "../ask.js";
import { defineTool, type ToolContext } from "../define-tool.js";
import { target } from "./target.js";
import { waitMs } from "./wait.js";

const LOOK_EVERY_MS = 50;
/** How long a computer may take to say its new label. */
const LABEL_MS = 2_000;
/** How long a computer may take to go off, which is half a second in a game that keeps up. */
const OFF_MS = 15_000;
const BACK_MS = 30_000;

/** Looks now and then whether something has come about. Returns what it found, or undefined. */
async function awaitChange<T>(
  look: () => T | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = look();
    if (found !== undefined || signal.aborted || performance.now() >= end) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const linkOf = (registry: Registry, key: string | undefined) =>
  registry.computers().find((link) => link.key === key);

export const setLabel = defineTool({
  name: "set-label",
  title: "Label a computer",
  description:
    "Gives a computer or turtle a label: the name that players and list-computers see. A labelled " +
    "computer keeps its files when a player breaks and picks it up. An empty label removes it.",
  input: z.object({
    ...target,
    label: z.string().max(64).describe("The new label, at most 32 characters; empty removes it."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable().describe("The label that it has now."),
    before: z.string().nullable().describe("The label that it had."),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world, label }, context) {
    const before = context.registry.computer({ computerId, world }).identity.label;
    const { link, result } = await ask(context, { computerId, world }, "set-label", { label });
    const wanted = result.label ?? null;
    // The computer says hello again with its new label; list-computers shall show it from now on.
    const said = () => (link.identity.label !== before || wanted === before ? true : undefined);
    await awaitChange(said, LABEL_MS, context.signal);
    const now = link.identity.label === before ? wanted : link.identity.label;
    return {
      text: `Computer ${computerName({ computerId, label: before })} is now ${computerName({ computerId, label: now })}.`,
      structured: { computerId, label: now, before },
    };
  },
});

const LeavingSchema = {
  computerId: z.int(),
  label: z.string().nullable(),
  lostJobs: z.int().describe("Jobs that ran on it and are lost."),
};

/** Says what a computer that goes down takes with it. */
function leaving({ registry }: ToolContext, link: Link) {
  const { computerId, label, key } = link.identity;
  const lostJobs = registry.jobs.running(key);
  const lost =
    lostJobs === 0
      ? ""
      : ` ${lostJobs === 1 ? "1 job that ran on it is" : `${lostJobs} jobs that ran on it are`} lost.`;
  return { facts: { computerId, label, lostJobs }, lost };
}

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
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  async handler({ computerId, world, waitMs = BACK_MS }, context) {
    const { registry, settings, signal } = context;
    const { link, result } = await ask(context, { computerId, world }, "reboot-computer", {});
    const { facts, lost } = leaving(context, link);
    const startedAt = performance.now();
    const again = () => {
      const now = linkOf(registry, link.key);
      return now === undefined || now === link ? undefined : now;
    };
    const found = await awaitChange(again, waitMs, signal);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const structured = {
      ...facts,
      ...(found === undefined ? {} : { label: found.identity.label }),
      back: found !== undefined,
      seconds,
      autostart: result.autostart ?? null,
    };
    if (found !== undefined) {
      return {
        text: `${found.name} rebooted and is linked again after ${seconds} s.${lost}`,
        structured,
      };
    }
    if (waitMs === 0) {
      return {
        text: `${link.name} reboots now.${lost} Call list-computers to see when it is back.`,
        structured,
      };
    }
    const where =
      linkOf(registry, link.key) === link
        ? "It was told to reboot, but its old link is still there: its server may lag."
        : "It went down and has not linked again.";
    const why =
      result.autostart === true
        ? "mcp-computer is set to start with it, so it may only be slow: call list-computers in a while."
        : `mcp-computer --autostart is not set up on it, so it may not start by itself: call list-computers in a while, or ask the player to type on it: ${settings.linkCommand}`;
    return {
      text: `${link.name} is not back after ${seconds} s. ${where}${lost}\n${why}`,
      structured,
      isError: true,
    };
  },
});

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
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  async handler({ computerId, world }, context) {
    const { registry, signal } = context;
    const { link } = await ask(context, { computerId, world }, "shutdown-computer", {});
    const { facts, lost } = leaving(context, link);
    const gone = () => (linkOf(registry, link.key) === link ? undefined : true);
    const off = (await awaitChange(gone, OFF_MS, signal)) === true;
    const structured = { ...facts, off };
    if (off)
      return {
        text: `${link.name} is off.${lost} Only a player or a neighbour computer can switch it on.`,
        structured,
      };
    return {
      text: `${link.name} was told to shut down, but is still linked after ${OFF_MS / 1_000} s: its server may lag. Call list-computers to see when it is gone.`,
      structured,
      isError: true,
    };
  },
});
