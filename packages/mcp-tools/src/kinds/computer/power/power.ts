import type { MethodResult } from "@ccbridge/protocol";
import {
  type Cancellation,
  type ComputerView,
  computerName,
  findComputer,
  isComputer,
  type PortChange,
  type ProviderPort,
  printable,
} from "@ccbridge/registry";
import { z } from "zod";
import { changes, destructive } from "../../../core/annotations.js";
import { waitMs } from "../../../core/arguments.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { inline } from "../../../format/set-apart.js";
import { capital } from "../../../format/text.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { askComputer } from "../undo/ask.js";

export interface LinkWatch {
  readonly isGone: boolean;
  readonly isBack: boolean;
  readonly label: string | null | undefined;
  readonly version: string | undefined;
  /** Resolves when the condition holds, on timeout, or on abort. Never rejects. */
  until(
    isReached: () => boolean,
    patience: { timeoutMs: number; signal: Cancellation },
  ): Promise<void>;
  end(): void;
}

/** Start before sending the request, so that no change is missed. */
async function watchLink({ changes }: ProviderPort, key: string): Promise<LinkWatch> {
  let [isGone, isBack] = [false, false];
  let label: string | null | undefined;
  let version: string | undefined;
  let wake = () => {};
  const onChange = ({ topic, provider }: PortChange) => {
    if (topic === "unlinked") [isGone, isBack] = [true, false];
    if (topic === "linked") {
      label = isComputer(provider) ? provider.label : null;
      version = isComputer(provider) ? provider.agent?.version : undefined;
      isBack = isGone;
    }
    wake();
  };
  const end = await changes.subscribe(onChange, { topics: ["linked", "unlinked"], key });
  return {
    get isGone() {
      return isGone;
    },
    get isBack() {
      return isBack;
    },
    get label() {
      return label;
    },
    get version() {
      return version;
    },
    until: (isReached, { timeoutMs, signal }) =>
      new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          wake = () => {};
          resolve();
        };
        const timer = setTimeout(finish, timeoutMs);
        signal.addEventListener("abort", finish);
        wake = () => {
          if (isReached() || signal.aborted) finish();
        };
        wake();
      }),
    end,
  };
}

/**
 * Updates mcp-computer on a computer and waits until the new program is linked. The computer keeps the old file
 * and goes back to it by itself when the new one does not link.
 */
async function updateAgent(
  context: ToolContext,
  computer: ComputerView,
  watch: LinkWatch,
  timeoutMs: number,
): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const { from, version, changed } = await askComputer(context, computer, "update-agent", {});
  const facts = { ...computerFacts(computer), lostJobs: 0, autostart: null, seconds: 0, version };
  const name = capital(computer.name);
  if (!changed) {
    return {
      text: `${name} already has mcp-computer ${inline(version)} of this bridge.`,
      structured: () => ({ ...facts, state: "back" }),
    };
  }
  const signal = context.gone ?? context.signal;
  await watch.until(() => watch.isBack, { timeoutMs, signal });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const ended = { ...facts, seconds, lostJobs: computer.runningJobs };
  const change = from === version ? inline(version) : `${inline(from)} to ${inline(version)}`;
  if (watch.isBack) {
    return {
      text: `${name} updated mcp-computer (${change}) and is linked again after ${seconds} s.`,
      structured: () => ({ ...ended, version: watch.version ?? version, state: "back" }),
    };
  }
  return {
    text: `${name} got mcp-computer ${inline(version)}, which has not linked after ${seconds} s.\nThe computer goes back to ${inline(from)} by itself if the new one does not link within a minute: call list-computers then.`,
    structured: () => ({ ...ended, state: watch.isGone ? "gone" : "going" }),
    isError: timeoutMs > 0,
  };
}

const LABEL_MS = 2_000;

export const setLabel = defineTool({
  name: "set-label",
  title: "Label a computer",
  effect: "label",
  description:
    "Gives a computer a label, the name that players see. A labelled computer keeps its files when " +
    "it is picked up.",
  input: z.object({
    ...target,
    label: z.string().max(64).describe("At most 32 characters; empty removes it."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable().describe("The label it has now."),
    before: z.string().nullable().describe("The label it had before."),
  }),
  annotations: changes,
  async handler({ computerId: selector, label }, context) {
    const computer = await findComputer(context.providers, selector);
    const { computerId, label: before } = computer.provider;
    const watch = await watchLink(context.providers, computer.key);
    try {
      const result = await askComputer(context, computer, "set-label", { label });
      const wanted = result.label === undefined ? null : printable(result.label);
      // The agent sends another hello with the new label.
      const isSaid = () =>
        wanted === before || (watch.label !== undefined && watch.label !== before);
      await watch.until(isSaid, { timeoutMs: LABEL_MS, signal: context.gone ?? context.signal });
      const now = watch.label === undefined || watch.label === before ? wanted : watch.label;
      return {
        text: `Computer ${computerName({ computerId, label: before })} is now ${computerName({ computerId, label: now })}.`,
        structured: () => ({ computerId, label: now, before }),
      };
    } finally {
      watch.end();
    }
  },
});

const BACK_MS = 30_000;
/** Half a second in a game without lag. */
const OFF_MS = 15_000;

export const powerComputer = defineTool({
  name: "power-computer",
  title: "Reboot, shut down or update a computer",
  effect: "power",
  description:
    "Reboots a computer and waits until it is linked again, or shuts it down. Its programs end, its " +
    "files stay. After a shutdown only a player or a computer next to it can switch it back on. " +
    "`update` replaces mcp-computer by this bridge's version and starts it again; its jobs end.",
  input: z.object({
    ...target,
    action: z
      .enum(["reboot", "shutdown", "update"])
      .meta({ description: "What to do.", obvious: true }),
    waitMs: waitMs.describe("Wait up to this long until it is back, or off. 0 does not wait."),
  }),
  output: z.object({
    ...computerShape,
    lostJobs: z.int().describe("Jobs that were running on it and are lost."),
    state: z.enum(["back", "going", "gone"]).describe("Whether it is linked now."),
    version: z.string().optional().describe("The version of mcp-computer after an update."),
    seconds: z.number().describe("How long it took, or how long the call waited."),
    autostart: z
      .boolean()
      .nullable()
      .describe("Whether mcp-computer --autostart is set up on it; null if it did not say."),
  }),
  annotations: destructive,
  async handler({ computerId, action, waitMs }, context) {
    const computer = await findComputer(context.providers, computerId);
    const watch = await watchLink(context.providers, computer.key);
    const startedAt = performance.now();
    try {
      if (action === "update")
        return await updateAgent(context, computer, watch, waitMs ?? BACK_MS);
      const answer = await askComputer(context, computer, `${action}-computer`, {});
      const isReached = action === "reboot" ? () => watch.isBack : () => watch.isGone;
      const timeoutMs = waitMs ?? (action === "reboot" ? BACK_MS : OFF_MS);
      await watch.until(isReached, { timeoutMs, signal: context.gone ?? context.signal });
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      const result = { computer, watch, seconds, waited: timeoutMs > 0 };
      return action === "reboot" ? rebooted(context, result, answer) : shutDown(result);
    } finally {
      watch.end();
    }
  },
});

interface PowerResult {
  computer: ComputerView;
  watch: LinkWatch;
  seconds: number;
  waited: boolean;
}

function rebooted(
  { settings }: ToolContext,
  { computer, watch, seconds, waited }: PowerResult,
  answer: MethodResult<"reboot-computer">,
): ToolOutcome {
  const { provider, runningJobs } = computer;
  const label = watch.label === undefined ? provider.label : watch.label;
  const autostart = answer.autostart ?? null;
  const facts = { ...computerFacts(computer), label, lostJobs: runningJobs, seconds, autostart };
  const lost = lostJobs(runningJobs);
  if (watch.isBack) {
    const name = computerName({ computerId: provider.computerId, label });
    return {
      text: `Computer ${name} rebooted and is linked again after ${seconds} s.${lost}`,
      structured: () => ({ ...facts, state: "back" }),
    };
  }
  if (!waited) {
    return {
      text: `${capital(computer.name)} is rebooting.${lost} Call list-computers to see when it is back.`,
      structured: () => ({ ...facts, state: "going" }),
    };
  }
  const where = watch.isGone
    ? "It went down and has not linked again."
    : "It was told to reboot, but its old link is still open: its server may be lagging.";
  const why =
    answer.autostart === true
      ? "mcp-computer is set to start with it, so it may just be slow: call list-computers in a while."
      : `mcp-computer --autostart is not set up on it, so it may not start by itself: call list-computers in a while, or ask the player to type this on it: ${settings.linkCommand}`;
  return {
    text: `${capital(computer.name)} is not back after ${seconds} s. ${where}${lost}\n${why}`,
    structured: () => ({ ...facts, state: watch.isGone ? "gone" : "going" }),
    isError: true,
  };
}

function shutDown({ computer, watch, seconds, waited }: PowerResult): ToolOutcome {
  const { runningJobs } = computer;
  const facts = { ...computerFacts(computer), lostJobs: runningJobs, seconds, autostart: null };
  const lost = lostJobs(runningJobs);
  if (watch.isGone) {
    return {
      text: `${capital(computer.name)} is off.${lost} Only a player or a computer next to it can switch it back on.`,
      structured: () => ({ ...facts, state: "gone" }),
    };
  }
  const structured = () => ({ ...facts, state: "going" });
  if (!waited) return { text: `${capital(computer.name)} is shutting down.${lost}`, structured };
  return {
    text: `${capital(computer.name)} was told to shut down, but is still linked after ${seconds} s: its server may be lagging. Call list-computers to see when it is gone.`,
    structured,
    isError: true,
  };
}

function lostJobs(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? " The job that was running on it is lost."
    : ` The ${count} jobs that were running on it are lost.`;
}
