import { type ToolContext, whatChanged, whyNotUndone } from "@ccbridge/mcp-tools";
import type { ActionParams, ActionResult } from "@ccbridge/protocol/dashboard";

const MAX_CHANGES = 1_000;

/** What calls or a file changed, newest first, and why it cannot be undone where it cannot. */
export async function findChanges(
  context: ToolContext,
  asked: ActionParams<"find-changes">,
): Promise<ActionResult<"find-changes">> {
  const which = "traces" in asked ? asked : { keys: [asked.key], subject: asked.path };
  const found = await context.changes?.find({ ...which, limit: MAX_CHANGES });
  return {
    changes: (found?.changes ?? []).map((change) => {
      const { id, time, client, tool, trace, key, provider, undoneBy } = change;
      const cannot = undoneBy === null ? (whyNotUndone(change, context) ?? null) : null;
      const what = whatChanged(change, context);
      return { id, time, client, tool, trace, key, provider, what, undoneBy, cannot };
    }),
  };
}
