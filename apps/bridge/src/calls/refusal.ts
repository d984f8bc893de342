import { ToolError } from "@ccbridge/mcp-tools";

/** A call that is not made, or ends before it reaches a provider. */
export class CallRefused extends ToolError {
  /** When it may be made, where that is only a matter of time. */
  readonly retryMs: number | undefined;

  constructor(reason: string, hint = "Nothing was done.", retryMs?: number) {
    super(reason, hint);
    this.retryMs = retryMs;
  }
}
