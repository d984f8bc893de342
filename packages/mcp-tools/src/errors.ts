import { computerName, type Job, LinkError, LinkErrorCode } from "@ccbridge/registry";
import type { ToolSettings } from "./define-tool.js";
import { cleanText, cutEnd } from "./format/text.js";

/** A failure that a model can act on: what happened, and what to do next. */
export interface Explained {
  code: string;
  message: string;
  hint: string;
}

/** Says what a request that was not answered means for the caller. */
export function explain(error: unknown, settings: ToolSettings): Explained {
  if (!(error instanceof LinkError)) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      code: "internal",
      message: `The bridge failed: ${message}`,
      hint: "This is a fault of the bridge, not of the call. Its log has the details.",
    };
  }
  return { code: error.code, message: error.message, hint: hintFor(error, settings) };
}

function hintFor(error: LinkError, settings: ToolSettings): string {
  switch (error.code) {
    case LinkErrorCode.notLinked:
      return `Call list-computers to see who is linked. To link a computer, the player types on it: ${settings.linkCommand}`;
    case LinkErrorCode.ambiguous:
      return "Call again with `world` set to one of them.";
    case LinkErrorCode.timedOut:
      return "Call probe-computers to see whether the computer answers.";
    case LinkErrorCode.cancelled:
      return "The caller gave up.";
    case LinkErrorCode.replaced:
    case LinkErrorCode.disconnected:
    case LinkErrorCode.silent:
      return "Call list-computers to see when the computer is back, then call again.";
    case LinkErrorCode.tooManyRequests:
      return "Wait until some of them are answered, then call again.";
    case LinkErrorCode.tooLarge:
      return "Nothing was sent. Send less, in several calls.";
    case LinkErrorCode.notReading:
      return "Nothing was sent. The computer or its server hangs; call probe-computers to see when it answers again.";
    case LinkErrorCode.shuttingDown:
      return "The bridge is stopping. Start it again, then call again.";
  }
}

/** Says why a job did not do what it should have. Undefined while it runs, and when it did. */
export function explainJob(job: Job, settings: ToolSettings): Explained | undefined {
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
        hint: "What it did before has happened. Look at the state in the game before you go on.",
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
        hint: "It is unknown how far it got, and it may still run in the game. Look at the state there before you run it again.",
      };
  }
}

function explainFailure(
  { response, note, identity, method }: Job,
  settings: ToolSettings,
): Explained {
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
      message: `The agent on computer ${computerName(identity)} does not know ${method || "exec-lua"}.`,
      hint: `It is too old. Ask the player to update mcp-computer on it and to link again: ${settings.linkCommand}`,
    };
  }
  if (method === "turtle-run") {
    return {
      code: "turtle-stopped",
      message: cleanText(cutEnd(response.error, 3_000)),
      hint: "The steps before it are done and stay done. Look around (turtle-status, or an inspect step), then run what is left.",
    };
  }
  if (method === "run-program") {
    return {
      code: "program-error",
      message: cleanText(cutEnd(response.error, 3_000)),
      hint: "The program ended there; what it did before has happened. Correct the command or the program, then call run-program again.",
    };
  }
  return {
    code: "lua-error",
    message: cleanText(cutEnd(response.error, 3_000)),
    hint: "The code stopped there; what it did before has happened. Correct it and call exec-lua again.",
  };
}

function stopHint({ response, abilities }: Job): string {
  if (response !== undefined) {
    return "It was cancelled in the game. Do less in one job, or give it a larger timeoutMs.";
  }
  return abilities.cancel
    ? "The computer was told to cancel it but did not confirm it: the code may still run in the game. Call probe-computers to see whether the computer answers."
    : "The code may still run in the game: this computer's agent cannot cancel it. Look what it did before you run it again; the player can stop it with Ctrl+T or a reboot, and a newer mcp-computer can cancel.";
}
