import type { MethodResult } from "@ccbridge/protocol";
import { type ComputerSelector, type ComputerView, findComputer } from "@ccbridge/registry";
import { type CallableTool, callable } from "../../../core/call.js";
import type { Tool, ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { listFiles } from "../files/list-files.js";
import { readFile } from "../files/read-file.js";
import { listInventory } from "../peripherals/inventory.js";
import { listPeripherals } from "../peripherals/peripherals.js";
import { askComputer } from "../undo/ask.js";
import { listedFile } from "../undo/file-state.js";
import { readWholeFile, type WholeFile } from "../whole-file.js";

const MAX_SHOWN_BYTES = 1_048_576;
const MAX_ENTRIES = 1_000;

export interface WholeAnswer<Result> {
  readonly result: Result;
}

/**
 * Unpaged results for the dashboard, which scrolls. Tools page their results for models, and asking
 * page by page would scan every chest again.
 */
export const wholeAnswers = {
  listFiles: whole<MethodResult<"list-files">>(listFiles, (computer, { path }, context) =>
    askComputer(context, computer, "list-files", { path: String(path), limit: MAX_ENTRIES }),
  ),
  readFile: whole<WholeFile>(readFile, (computer, { path }, context) =>
    readShownFile(context, computer, String(path)),
  ),
  listPeripherals: whole<MethodResult<"list-peripherals">>(
    listPeripherals,
    (computer, _, context) => askComputer(context, computer, "list-peripherals", {}),
  ),
  listInventory: whole<MethodResult<"list-inventory">>(listInventory, (computer, _, context) =>
    askComputer(context, computer, "list-inventory", {}),
  ),
} as const;

/** A file that does not exist is shown as an empty one, which can be written. */
async function readShownFile(
  context: ToolContext,
  computer: ComputerView,
  path: string,
): Promise<WholeFile> {
  const options = { maxBytes: MAX_SHOWN_BYTES, mayLackSecrets: true };
  try {
    return await readWholeFile(context, computer, path, options);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const found = await listedFile(context, computer, path, error).catch(() => undefined);
    if (found?.state.absent !== true) throw error;
    return { path: found.path, size: 0, hash: "absent", content: new Uint8Array() };
  }
}

type Arguments = Readonly<Record<string, unknown>>;

function whole<Result>(
  tool: Tool,
  ask: (computer: ComputerView, args: Arguments, context: ToolContext) => Promise<Result>,
): CallableTool<WholeAnswer<Result>> {
  const { facts, read } = callable(tool);
  return {
    facts,
    async read(given, context) {
      const call = await read(given, context);
      const { args } = call;
      return {
        ...call,
        async run(own) {
          const { providers } = own;
          const computer = await findComputer(providers, args.computerId as ComputerSelector);
          return { result: await ask(computer, args, own) };
        },
      };
    },
  };
}
