import type { MethodParams, MethodResult } from "@ccbridge/protocol";
import type { ComputerView } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { computerFacts } from "../computer.js";
import { askComputer } from "../undo/ask.js";

type Listing = MethodResult<"boot-programs">;

export async function listBootPrograms(
  context: ToolContext,
  computer: ComputerView,
): Promise<ToolOutcome> {
  return outcome(computer, await askComputer(context, computer, "boot-programs", {}));
}

export async function removeBootProgram(
  context: ToolContext,
  computer: ComputerView,
  command: string,
): Promise<ToolOutcome> {
  const { programs } = await askComputer(context, computer, "boot-programs", {});
  const known = programs.find((program) => program.command === command);
  const listing = await askComputer(context, computer, "boot-programs", { remove: command });
  if (listing.removed !== true) {
    throw new ToolError(
      `${quoted(command, 200)} does not start at boot on ${computer.name}.`,
      listText(listing),
    );
  }
  const running =
    known?.job === undefined
      ? ""
      : ` It still runs as job ${known.job}: cancel-job ${JSON.stringify({ jobId: known.job })} ends it.`;
  const { text, ...rest } = outcome(computer, listing);
  return { ...rest, text: `Removed: it no longer starts at boot.${running}\n${text}` };
}

/** What to say about a program that was started and shall start at every boot. */
export async function addBootProgram(
  context: ToolContext,
  computer: ComputerView,
  program: NonNullable<MethodParams<"boot-programs">["add"]>,
): Promise<string> {
  const { autostart } = await askComputer(context, computer, "boot-programs", { add: program });
  const when =
    autostart === false
      ? "It starts whenever mcp-computer starts from now on, but mcp-computer does not start at boot there: ask the player to type `mcp-computer --autostart` on that computer."
      : "It starts at every boot from now on, beside mcp-computer.";
  return `${when} To remove it: run-program ${JSON.stringify({ command: program.command, atBoot: false })}.`;
}

function outcome(computer: ComputerView, listing: Listing): ToolOutcome {
  const { programs } = listing;
  return {
    text: `${listText(listing)}`,
    structured: () => ({
      ...computerFacts(computer),
      ...{ ok: true, output: "", returns: [] },
      atBoot: programs.map(({ command }) => command),
    }),
  };
}

function listText({ programs, off, autostart }: Listing): string {
  if (programs.length === 0) return "No programs of run-program start at boot there.";
  const lines = programs.map(({ command, monitor, job }) => {
    const where = monitor === undefined ? "" : ` on the monitor ${inline(monitor)}`;
    return `${quoted(command, 200)}${where}${job === undefined ? "" : `, running as job ${job}`}`;
  });
  return [
    "These start at boot:",
    ...lines,
    off
      ? "They are switched off: the computer went down within 30 s of their start, three times in a row. Correct or remove the one that causes it; adding any of them again switches them on."
      : undefined,
    autostart === false
      ? "mcp-computer itself does not start at boot there: the player types `mcp-computer --autostart` on that computer."
      : undefined,
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}
