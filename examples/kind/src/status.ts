import { defineTool, readOnly } from "@ccbridge/mcp-tools";
import { z } from "zod";

/** A tool of the bridge itself: it belongs to no kind. */
export const status = defineTool({
  name: "bridge-status",
  title: "Show the bridge's status",
  description: "Says how many providers are linked.",
  input: z.object({}),
  annotations: readOnly,
  async handler(_, { providers }) {
    const { length } = await providers.list();
    return { text: length === 1 ? "1 provider is linked." : `${length} providers are linked.` };
  },
});
