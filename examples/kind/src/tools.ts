import { acts, defineTool, namesTargets, readOnly, ToolError } from "@ccbridge/mcp-tools";
import { quoted } from "@ccbridge/registry";
import { z } from "zod";

/** Marked as naming targets: rights, questions to a person and the audit know the lamp before the tool runs. */
const lamp = namesTargets(z.string().min(1).max(32), async (ref, providers) => [
  await providers.find({ kind: "lamp", ref }),
]).describe("Its name from list-lamps.");

export const listLamps = defineTool({
  name: "list-lamps",
  title: "List lamps",
  description: "Lists the lamps that are linked now.",
  input: z.object({}),
  output: z.object({ lamps: z.array(z.string()) }),
  annotations: readOnly,
  async handler(_, { providers }) {
    const names = (await providers.list("lamp")).map(({ name }) => name);
    return {
      text: names.length === 0 ? "No lamp is linked." : names.join("\n"),
      structured: () => ({ lamps: names }),
    };
  },
});

export const switchLamp = defineTool({
  name: "switch-lamp",
  title: "Switch a lamp",
  description: "Turns a lamp on or off.",
  input: z.object({ lamp, on: z.boolean() }),
  output: z.object({ lamp: z.string(), on: z.boolean() }),
  annotations: acts,
  async handler({ lamp: ref, on }, { providers, signal }) {
    const { key, name } = await providers.find({ kind: "lamp", ref });
    const answer = await providers.request(key, "switch", { on }, { timeoutMs: 5_000, signal });
    if (!answer.ok) {
      throw new ToolError(`${name} did not switch: ${quoted(answer.error, 200)}`, "Look at it.");
    }
    return {
      text: `${name} is ${on ? "on" : "off"}.`,
      structured: () => ({ lamp: name, on }),
    };
  },
});
