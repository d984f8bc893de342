import { LinkError, LinkErrorCode } from "@ccbridge/registry";
import { inline } from "../format/set-apart.js";
import { capital } from "../format/text.js";
import type { ToolSettings } from "./define.js";

/** A failure for programs, in the words of the provider's own protocol. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly hint: string;
  readonly failure: Failure | undefined;

  constructor(message: string, hint: string, failure?: Failure) {
    super(message);
    this.hint = hint;
    this.failure = failure;
  }
}

const unanswered: readonly LinkErrorCode[] = [
  LinkErrorCode.timedOut,
  LinkErrorCode.cancelled,
  LinkErrorCode.disconnected,
  LinkErrorCode.replaced,
  LinkErrorCode.silent,
];

/** Whether no answer came to what was sent. */
export function mayHaveRun(error: unknown): boolean {
  return error instanceof LinkError && unanswered.includes(error.code);
}

export abstract class ProtocolError extends Error {}

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

export interface Explained {
  code: string;
  message: string;
  hint: string;
  failure?: Failure | undefined;
}

export function explain(error: unknown, settings: ToolSettings): Explained {
  if (error instanceof ToolError) {
    const { message, hint, failure } = error;
    return { code: "refused", message: asSentence(message, settings), hint, failure };
  }
  if (!(error instanceof LinkError)) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      code: "internal",
      message: `The bridge failed: ${inline(message, 1_000)}`,
      hint: "This is a fault in the bridge, not in the call. Its log has the details.",
    };
  }
  const { code, message, wireCode, hint = generalHint(code) } = error;
  const sentence = asSentence(message, settings);
  if (wireCode === undefined) return { code, message: sentence, hint };
  const failure = { code: wireCode, message: sentence };
  return { code, message: `${wireCode}: ${sentence}`, hint, failure };
}

function asSentence(message: string, { kinds }: ToolSettings): string {
  const text = kinds.beginsWithNoun(message) ? capital(message) : message;
  return /[.!?:)`"]$/.test(text) ? text : `${text}.`;
}

export function generalHint(code: LinkErrorCode): string {
  switch (code) {
    case LinkErrorCode.notLinked:
    case LinkErrorCode.away:
      return "Nothing was sent to it. Call again once it is linked.";
    case LinkErrorCode.ambiguous:
      return "Call again with one of these.";
    case LinkErrorCode.timedOut:
      return "It may still have happened: check the state before you do it again.";
    case LinkErrorCode.cancelled:
      return "The caller gave up.";
    case LinkErrorCode.replaced:
    case LinkErrorCode.disconnected:
    case LinkErrorCode.silent:
      return "Call again once it is back.";
    case LinkErrorCode.tooManyRequests:
      return "Wait until some of them are answered, then call again.";
    case LinkErrorCode.tooManyPrograms:
      return "Nothing was started. End one of them first.";
    case LinkErrorCode.tooManyWatches:
      return 'Use * in a name, or remove other watches first with mode "remove".';
    case LinkErrorCode.tooLarge:
      return "Nothing was sent. Send less, in several calls.";
    case LinkErrorCode.notReading:
      return "Nothing was sent. It is hanging: call again later.";
    case LinkErrorCode.shuttingDown:
      return "The bridge is stopping. Start it again, then call again.";
  }
}
