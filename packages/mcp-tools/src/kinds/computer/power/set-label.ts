import { computerName, findComputer, printable } from "@ccbridge/registry";
import { z } from "zod";
import { changes } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { askComputer } from "../ask.js";
import { target } from "../computer.js";
import { watchLink } from "./link-watch.js";

const LABEL_MS = 2_000;

export const setLabel = defineTool({
  name: "set-label",
  title: "Label a computer",
  description:
    "Gives a computer a label, the name that players see. A labelled computer keeps its files when " +
    "it is picked up.",
  input: z.object({
    ...target,
    label: z.string().max(64).describe("At most 32 characters; empty removes it."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable().describe("The label it has now."),
    before: z.string().nullable().describe("The label it had before."),
  }),
  annotations: changes,
  async handler({ computerId: selector, label }, context) {
    const computer = await findComputer(context.providers, selector);
    const { computerId, label: before } = computer.identity;
    const watch = await watchLink(context.providers, computer.key);
    try {
      const result = await askComputer(context, computer, "set-label", { label });
      const wanted = result.label === undefined ? null : printable(result.label);
      // The agent sends another hello with the new label.
      const isSaid = () =>
        wanted === before || (watch.label !== undefined && watch.label !== before);
      await watch.until(isSaid, { timeoutMs: LABEL_MS, signal: context.gone ?? context.signal });
      const now = watch.label === undefined || watch.label === before ? wanted : watch.label;
      return {
        text: `Computer ${computerName({ computerId, label: before })} is now ${computerName({ computerId, label: now })}.`,
        structured: () => ({ computerId, label: now, before }),
      };
    } finally {
      watch.end();
    }
  },
});
