import { LinkError, LinkErrorCode } from "@ccbridge/registry";
import { inline } from "../format/set-apart.js";
import { capital } from "../format/text.js";
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

/** Not the result of a tool: the entrance of a call answers it in the words of its own protocol. */
export abstract class ProtocolError extends Error {}

/** A failure that a provider's protocol reports as a JSON-RPC error, with the provider's text. */
export class RpcFailure extends ProtocolError {
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

/** Explains anything that was thrown to the caller. */
export function explain(error: unknown, settings: ToolSettings): Explained {
  if (error instanceof ToolError) {
    return { code: "refused", message: asSentence(error.message), hint: error.hint };
  }
  if (!(error instanceof LinkError)) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      code: "internal",
      message: `The bridge failed: ${inline(message, 1_000)}`,
      hint: "This is a fault in the bridge, not in the call. Its log has the details.",
    };
  }
  return { code: error.code, message: asSentence(error.message), hint: hintFor(error, settings) };
}

/** A message as a sentence. The name of a tool stays as it is; that of a computer may begin a message, and a quote end it. */
function asSentence(message: string): string {
  const text = /^(computer|page|server) /.test(message) ? capital(message) : message;
  return /[.!?:)`"]$/.test(text) ? text : `${text}.`;
}

/** A computer that waits for approval has its program already. */
function nextStep({ waiting, linkCommand }: ToolSettings): string {
  return waiting !== undefined && waiting() > 0
    ? " and how to approve those that wait."
    : `. To link one, ask the player to type this on it: ${linkCommand}`;
}

function hintFor(error: LinkError, settings: ToolSettings): string {
  switch (error.code) {
    case LinkErrorCode.notLinked:
      return `Call list-computers to see which computers are linked${nextStep(settings)}`;
    case LinkErrorCode.away:
      return "Nothing was sent to it. It usually comes back by itself once its chunk is loaded, its server runs and mcp-computer starts with it, unless it was shut down. Call list-computers in a while.";
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
      return 'Use * in a name, or remove other watches first with mode "remove".';
    case LinkErrorCode.tooLarge:
      return "Nothing was sent. Send less, in several calls.";
    case LinkErrorCode.notReading:
      return "Nothing was sent. The computer or its server is hanging; call probe-computers to see when it answers again.";
    case LinkErrorCode.shuttingDown:
      return "The bridge is stopping. Start it again, then call again.";
  }
}
