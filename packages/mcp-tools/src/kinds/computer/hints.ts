import { LinkErrorCode } from "@ccbridge/registry";
import type { ToolSettings } from "../../core/define.js";

export function computerHint(code: LinkErrorCode, settings: ToolSettings): string | undefined {
  switch (code) {
    case LinkErrorCode.notLinked:
      return `Call list-computers to see which computers are linked${nextStep(settings)}`;
    case LinkErrorCode.away:
      return "Nothing was sent to it. It usually comes back by itself once its chunk is loaded, its server runs and mcp-computer starts with it, unless it was shut down. Call list-computers in a while.";
    case LinkErrorCode.ambiguous:
      return "Call again with one of these as computerId.";
    case LinkErrorCode.timedOut:
      return "Call probe-computers to see whether the computer answers.";
    case LinkErrorCode.replaced:
    case LinkErrorCode.disconnected:
    case LinkErrorCode.silent:
      return "Call list-computers to see when the computer is back, then call again.";
    case LinkErrorCode.notReading:
      return "Nothing was sent. The computer or its server is hanging; call probe-computers to see when it answers again.";
    default:
      return undefined;
  }
}

function nextStep({ waiting, linkCommand }: ToolSettings): string {
  return waiting !== undefined && waiting() > 0
    ? " and how to approve those that wait."
    : `. To link one, ask the player to type this on it: ${linkCommand}`;
}
