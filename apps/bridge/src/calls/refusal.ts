import { ToolError } from "@ccbridge/mcp-tools";

/** A call that is not made, or ends before it reaches a provider. */
export class CallRefused extends ToolError {
  constructor(reason: string, hint = "Nothing was done.") {
    super(reason, hint);
  }
}
