import { type ToolContext, whatChanged, whyNotUndone } from "@ccbridge/mcp-tools";
import type { ActionResult } from "@ccbridge/protocol/dashboard";

const MAX_CHANGES = 1_000;

/** What calls changed, newest first, and why it cannot be undone where it cannot. */
export async function findChanges(
  context: ToolContext,
  traces: readonly string[],
): Promise<ActionResult<"find-changes">> {
  const found = await context.changes?.find({ traces, limit: MAX_CHANGES });
  return {
    changes: (found?.changes ?? []).map((change) => {
      const { id, trace, key, provider, undoneBy } = change;
      const cannot = undoneBy === null ? (whyNotUndone(change, context) ?? null) : null;
      return { id, trace, key, provider, what: whatChanged(change, context), undoneBy, cannot };
    }),
  };
}
