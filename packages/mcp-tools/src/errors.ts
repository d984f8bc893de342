import { LinkError, LinkErrorCode } from "@ccbridge/registry";
import type { ToolSettings } from "./define-tool.js";

/** A failure that a model can act on: what happened, and what to do next. */
export interface Explained {
  code: string;
  message: string;
  hint: string;
}

/** Says what a failed request means for the caller. */
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
      return timeoutHint(error);
    case LinkErrorCode.cancelled:
      return "The caller gave up; the computer was told to stop if its agent can.";
    case LinkErrorCode.replaced:
    case LinkErrorCode.disconnected:
    case LinkErrorCode.silent:
      return "It is unknown how far the code got, and it may still run in the game. Check the state there before running it again; list-computers shows when the computer is back.";
    case LinkErrorCode.tooManyRequests:
      return "Wait until some of them are answered, then call again.";
    case LinkErrorCode.tooLarge:
      return "Nothing was sent. Send less, in several calls.";
    case LinkErrorCode.notReading:
      return "Nothing was sent. The computer or its server hangs; call probe-computers to see when it answers again.";
    case LinkErrorCode.shuttingDown:
      return "The bridge is stopping. Start it again and look what the code did before running it again.";
  }
}

function timeoutHint(error: LinkError): string {
  switch (error.cancel) {
    case "confirmed":
      return "The code was cancelled in the game. Do less in one call, or give it a larger timeoutMs.";
    case "unconfirmed":
      return "The computer was told to cancel the code but did not confirm it: the code may still run in the game. Call probe-computers to see whether the computer answers.";
    case "unsupported":
      return "The code may still run in the game: this computer's agent cannot cancel it. Look what it did before running it again; the player can stop it with Ctrl+T or a reboot, and a newer mcp-computer can cancel.";
    default:
      return "Call probe-computers to see whether the computer answers.";
  }
}
