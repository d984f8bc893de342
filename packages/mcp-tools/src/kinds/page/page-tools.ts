import {
  type ContentBlock,
  MAX_CAPABILITIES,
  REQUEST_CAPABILITIES,
  riskOf,
} from "@ccbridge/protocol/btcp";
import { PAGE, printable } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../core/annotations.js";
import { confirm, personAt } from "../../core/client-line.js";
import { defineTool } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import type { ResultStore } from "../../core/kind-services.js";

/** Characters of one answer. */
const MAX_LENGTH = 32_768;

export const readResult = defineTool({
  name: "read-result",
  kind: PAGE,
  title: "Read on in a long result",
  description: "Reads on in a result of a web page's tool that was cut. Its end says how.",
  input: z.object({
    result: z.string().min(1).max(64).meta({ description: "Its id.", obvious: true }),
    offset: z.int().min(0).default(0).meta({ description: "In characters.", obvious: true }),
  }),
  annotations: readOnly,
  async handler({ result, offset }, { results }) {
    const text = await results?.read(result);
    if (text === undefined) {
      throw new ToolError(
        "This result is no longer kept: only the last few are.",
        "Call the tool of the page again, and ask it for less at once.",
      );
    }
    if (offset >= text.length) {
      throw new ToolError(`The result ends at ${text.length}.`, "Nothing more can be read.");
    }
    const from = isInsidePair(text, offset) ? offset - 1 : offset;
    return { text: "", blocks: pieceOf(text, from, result) };
  },
});

/** The beginning of a long text, with the way to read on; pictures and sounds stay. */
export function cutBlocks(
  blocks: readonly ContentBlock[],
  results: ResultStore | undefined,
): ContentBlock[] {
  const texts = blocks.flatMap((block) => textOf(block) ?? []);
  const length = texts.reduce((sum, text) => sum + text.length + 1, -1);
  if (length <= MAX_LENGTH) return [...blocks];
  const whole = texts.join("\n");
  const others = blocks.filter((block) => textOf(block) === undefined);
  return [...pieceOf(whole, 0, results?.keep(whole)), ...others];
}

function textOf(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "resource" && "text" in block.resource ? block.resource.text : undefined;
}

function pieceOf(text: string, from: number, id: string | undefined): ContentBlock[] {
  const limit = from + MAX_LENGTH;
  const end = limit >= text.length ? text.length : limit - (isInsidePair(text, limit) ? 1 : 0);
  const shown = `[Characters ${from} to ${end} of ${text.length}.`;
  const next =
    id === undefined
      ? "The rest is not kept."
      : `For the next: read-result ${JSON.stringify({ result: id, offset: end })}`;
  const note = end === text.length ? `${shown} This is the end.]` : `${shown} ${next}]`;
  return [
    { type: "text", text: text.slice(from, end) },
    { type: "text", text: note },
  ];
}

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

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
