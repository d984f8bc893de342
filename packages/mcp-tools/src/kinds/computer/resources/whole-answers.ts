import type { MethodResult } from "@ccbridge/protocol";
import { type ComputerSelector, type ComputerView, findComputer } from "@ccbridge/registry";
import { type CallableTool, callable } from "../../../core/call.js";
import type { Tool, ToolContext } from "../../../core/define.js";
import { listFiles } from "../files/list-files.js";
import { readFile } from "../files/read-file.js";
import { listInventory } from "../peripherals/inventory.js";
import { listPeripherals } from "../peripherals/peripherals.js";
import { askComputer } from "../undo/ask.js";
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
    readWholeFile(context, computer, String(path), {
      maxBytes: MAX_SHOWN_BYTES,
      mayLackSecrets: true,
    }),
  ),
  listPeripherals: whole<MethodResult<"list-peripherals">>(
    listPeripherals,
    (computer, _, context) => askComputer(context, computer, "list-peripherals", {}),
  ),
  listInventory: whole<MethodResult<"list-inventory">>(listInventory, (computer, _, context) =>
    askComputer(context, computer, "list-inventory", {}),
  ),
} as const;

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
