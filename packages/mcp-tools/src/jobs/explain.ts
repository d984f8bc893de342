import {
  computerName,
  isComputer,
  type JobFailure,
  type JobSnapshot,
  type Provider,
} from "@ccbridge/registry";
import type { ToolSettings } from "../core/define.js";
import type { Explained } from "../core/errors.js";
import { quoted } from "../format/set-apart.js";
import { cutEnd } from "../format/text.js";

const MAX_ERROR_LENGTH = 3_000;

/** For a job of an earlier bridge: most jobs run Lua. */
export const luaFailure: JobFailure = {
  code: "lua-error",
  hint: "The code stopped there; what it did before that is done. Correct it and call exec-lua again.",
};

/** `said` is the game's own message, if it comes from there. */
export interface JobExplained extends Explained {
  readonly gameMessage?: string;
}

/** Undefined while the job runs or when it succeeded. */
export function explainJob(job: JobSnapshot, settings: ToolSettings): JobExplained | undefined {
  switch (job.state) {
    case "queued":
    case "running":
    case "done":
      return undefined;
    case "failed":
      return explainFailure(job, settings);
    case "cancelled":
      return {
        code: "cancelled",
        message: "The job was cancelled.",
        hint: "What it did before that is done.",
      };
    case "timed-out":
      return {
        code: "timed-out",
        message: "The job took longer than its timeoutMs.",
        hint: stopHint(job),
      };
    case "lost":
      return {
        code: "lost",
        message: `The job is lost. ${job.note ?? ""}`.trim(),
        hint: lostHint(job),
      };
  }
}

function explainFailure(
  { response, note, identity, method, onFailure }: JobSnapshot,
  settings: ToolSettings,
): JobExplained {
  if (response === undefined || response.ok) {
    return {
      code: "not-sent",
      message: `The code was not sent. ${note ?? ""}`.trim(),
      hint: "Nothing ran. Call again later.",
    };
  }
  if (response.error === "unknown method") {
    return {
      code: "unknown-method",
      message: `The agent on computer ${computerName(identity)} does not support ${method || "exec-lua"}.`,
      hint: `It is too old. Ask the player to update mcp-computer by typing this on it: ${settings.linkCommand}`,
    };
  }
  const gameMessage = cutEnd(response.error, MAX_ERROR_LENGTH);
  const message = quoted(response.error, MAX_ERROR_LENGTH);
  return { message, gameMessage, ...meaningOf(response.error, identity, onFailure ?? luaFailure) };
}

function meaningOf(error: string, identity: Provider, { code, hint }: JobFailure): JobFailure {
  if (code !== luaFailure.code) return { code, hint };
  if (error.startsWith("syntax error")) {
    return { code: "syntax-error", hint: "Correct the code and call exec-lua again." };
  }
  const isTurtle = !isComputer(identity) || identity.computerKind === "turtle";
  if (isTurtle || !/'turtle' \(a nil value\)/.test(error)) return { code, hint };
  return {
    code,
    hint: `This computer is not a turtle, and only turtles have \`turtle\`: list-computers shows the turtles. ${hint}`,
  };
}

function lostHint({ startedAt, response, isGone }: JobSnapshot): string {
  if (startedAt === undefined) return "It was never sent, so nothing ran. Call again later.";
  if (response !== undefined) return "It is over: what it did has happened.";
  const state = isGone ? "" : ", and it may still be running in the game";
  return `It is unknown how far it got${state}. Check the state there before you run it again.`;
}

function stopHint({ response, abilities }: JobSnapshot): string {
  if (response !== undefined) {
    return "It was cancelled in the game. Do less in one job, or give it a longer timeoutMs.";
  }
  return abilities.cancel
    ? "The computer was told to cancel it but has not confirmed that: the code may still be running in the game. Call probe-computers to see whether the computer answers."
    : "The code may still be running in the game: this computer's agent cannot cancel it. Check what it did before you run it again; the player can stop it with Ctrl+T or a reboot, and a newer mcp-computer can cancel jobs.";
}
