import { MAX_CAPABILITIES, REQUEST_CAPABILITIES, riskOf } from "@ccbridge/protocol/btcp";
import { PAGE, printable } from "@ccbridge/registry";
import { z } from "zod";
import { confirm, personAt } from "../../core/client-line.js";
import { defineTool } from "../../core/define.js";

export const requestCapabilities = defineTool({
  name: REQUEST_CAPABILITIES,
  kind: PAGE,
  title: "Request capabilities of web pages",
  description:
    "Requests permission for web page tools that do more than read; list-offered-tools shows what is " +
    "missing. Pending requests wait for a person, so tell the user.",
  input: z.object({
    capabilities: z
      .array(z.string().max(128))
      .min(1)
      .max(MAX_CAPABILITIES)
      .describe("Names such as dom:write or storage:local:read."),
  }),
  async handler({ capabilities }, { capabilities: desk, line, client }) {
    const names = capabilities.map(printable);
    if (desk === undefined) {
      return { text: JSON.stringify({ granted: [], denied: names, pending: [] }) };
    }
    const { pending } = desk.request(names, client);
    const person = personAt(line);
    if (pending.length > 0 && person !== undefined) {
      if (await confirm(person, question(pending))) desk.grant(pending);
    }
    return { text: JSON.stringify(desk.request(names, client)) };
  },
});

function question(pending: readonly string[]): string {
  const list = pending.map((name) => `${name} (${riskOf(name)} risk)`).join(", ");
  return `May the AI use these capabilities of the web pages that are open in this session: ${list}?`;
}
