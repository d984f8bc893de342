import { computerName } from "@ccbridge/registry";
import { z } from "zod";
import { actsOnce } from "../../../core/annotations.js";
import { confirm, personAt } from "../../../core/client-line.js";
import { defineTool, WAITING } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import type { PendingComputer } from "../../../core/kind-services.js";
import { cutEnd } from "../../../format/text.js";

const OTHER_WAYS =
  "The user can approve it in the dashboard, or with `ccbridge pair CODE` in a shell.";

export const approveComputer = defineTool({
  name: "approve-computer",
  title: "Approve a computer",
  description: "Asks the user to approve a computer that waits to be linked.",
  input: z.object({
    code: z
      .string()
      .min(1)
      .max(64)
      .describe("The code on its screen, or the id of a computer that shows none."),
  }),
  annotations: actsOnce,
  listedWith: WAITING,
  isForOwners: true,
  async handler({ code }, { pairing, line }) {
    if (pairing === undefined) {
      throw new ToolError("This client may not approve computers.", OTHER_WAYS);
    }
    const computer = find(code, pairing.waiting());
    const person = personAt(line);
    if (person === undefined) {
      throw new ToolError("This client cannot ask the user (MCP elicitation).", OTHER_WAYS);
    }
    if (!(await confirm(person, question(computer)))) {
      throw new ToolError("The user did not approve the computer.", "Nothing was changed.");
    }
    if (!pairing.approve(computer.code)) {
      throw new ToolError(
        "The computer does not wait any more.",
        "If it links again, its screen shows another code.",
      );
    }
    return {
      text: `Computer ${computerName(computer)} is approved. list-computers shows it within a few seconds.`,
    };
  },
});

function find(typed: string, waiting: readonly PendingComputer[]): PendingComputer {
  const wanted = lettersOf(typed);
  const shown = waiting.find(({ code }) => lettersOf(code) === wanted);
  if (shown !== undefined) return shown;
  const [first, second] = waiting.filter(
    ({ showsCode, computerId }) => !showsCode && String(computerId) === wanted,
  );
  if (second !== undefined) {
    throw new ToolError(`Several computers with the id ${wanted} wait.`, OTHER_WAYS);
  }
  if (first === undefined) {
    throw new ToolError("No computer waits with this code.", "Ask the user to read it again.");
  }
  return first;
}

function lettersOf(code: string): string {
  return code.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

function question(computer: PendingComputer): string {
  const { computerId, label, code, showsCode, address, replaces } = computer;
  const name =
    label === null ? "without a label" : `with the label ${JSON.stringify(cutEnd(label, 40))}`;
  return [
    `Link computer ${computerId}, ${name}, which connects from ${address}?`,
    showsCode
      ? `Its screen shows the code ${code}.`
      : "Its program cannot show a code: agree only if you have just started it.",
    replaces ? "A computer with this identity is approved already; this may be another one." : "",
    "AI clients will be able to use it.",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
