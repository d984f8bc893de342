import { ToolError } from "@ccbridge/mcp-tools";

/** A call that was refused before it reached a provider. */
export class CallRefused extends ToolError {
  /** Milliseconds until it may be repeated, if only a rate refused it. */
  readonly retryMs: number | undefined;

  constructor(reason: string, hint = "Nothing was done.", retryMs?: number) {
    super(reason, hint);
    this.retryMs = retryMs;
  }
}
