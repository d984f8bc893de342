import { LinkError, LinkErrorCode } from "@ccbridge/registry";
import type { ToolSettings } from "./define.js";

/** A failure of a handler that the caller can do something about: what happened, and what to do next. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** A failure that the protocol of a provider wants told as a JSON-RPC error, in the provider's words. */
export class RpcFailure extends Error {
  override readonly name = "RpcFailure";
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: number, message: string, data: Record<string, unknown>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A failure that a model can act on: what happened, and what to do next. */
export interface Explained {
  code: string;
  message: string;
  hint: string;
}

/** Says what anything that was thrown means for the caller. */
export function explain(error: unknown, settings: ToolSettings): Explained {
  if (error instanceof ToolError) {
    return { code: "refused", message: error.message, hint: error.hint };
  }
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
    case LinkErrorCode.away:
      return "It usually comes back by itself, when its chunk is loaded, its server runs and the program mcp-computer starts with it. Call list-computers in a while; do not run the same code again before you have looked at what it did.";
    case LinkErrorCode.ambiguous:
      return "Call again with one of these as computerId.";
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
    case LinkErrorCode.tooManyWatches:
      return 'Use * in a name, or take others off the list with mode "remove" first.';
    case LinkErrorCode.tooLarge:
      return "Nothing was sent. Send less, in several calls.";
    case LinkErrorCode.notReading:
      return "Nothing was sent. The computer or its server hangs; call probe-computers to see when it answers again.";
    case LinkErrorCode.shuttingDown:
      return "The bridge is stopping. Start it again, then call again.";
  }
}
