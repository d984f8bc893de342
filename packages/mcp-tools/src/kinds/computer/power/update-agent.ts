import type { ComputerView } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "../../../core/define.js";
import { inline } from "../../../format/set-apart.js";
import { capital } from "../../../format/text.js";
import { askComputer } from "../ask.js";
import { computerFacts } from "../computer.js";
import type { LinkWatch } from "./link-watch.js";

/**
 * Updates mcp-computer on a computer and waits until the new program is linked. The computer keeps the old file
 * and goes back to it by itself when the new one does not link.
 */
export async function updateAgent(
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
