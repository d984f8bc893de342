import { removedNote } from "@ccbridge/protocol";
import type { ContentBlock } from "@ccbridge/protocol/btcp";
import { cleanJson, cleanText } from "@ccbridge/registry";
import { cutLines } from "../format/set-apart.js";
import { callable } from "./call.js";
import type { Tool, ToolContext, ToolImage, ToolOutcome, ToolSettings } from "./define.js";
import { explain, ProtocolError } from "./errors.js";

const MAX_TEXT_BYTES = 32_768;
const ERROR_META = "dev.ccbridge/error";

export interface CallResult {
  [key: string]: unknown;
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Runs a tool for a client that may do everything. It rejects only with a {@link ProtocolError}. */
export function runTool(tool: Tool, args: unknown, context: ToolContext): Promise<CallResult> {
  return answer(async () => {
    const call = await callable(tool).read(args, context);
    return call.run(context);
  }, context.settings);
}

/**
 * The one place where anything thrown becomes an `isError` result. Tools set apart and clean what they take from a
 * provider as they write their text; blocks of a provider are cleaned here.
 */
export async function answer(
  run: () => Promise<ToolOutcome>,
  settings: ToolSettings,
  wantsFacts = settings.structured,
): Promise<CallResult> {
  try {
    const { text, structured, forView, image, blocks, meta, isError } = await run();
    const result: CallResult = {
      content: blocks === undefined ? ownBlocks(text, image) : cleanBlocks(blocks),
    };
    // Two of four clients show their model only this if it is present, so only programs get it.
    // They get every character: cleaned names could collide, and a changed text is not what was read.
    const facts = wantsFacts ? structured?.() : undefined;
    const shown = forView === undefined ? facts : (cleanJson(forView) as Record<string, unknown>);
    if (shown !== undefined) result.structuredContent = { ...shown };
    if (meta !== undefined) result._meta = meta;
    if (isError === true) result.isError = true;
    return result;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { message, hint, failure } = explain(error, settings);
    const result = failed(`${message}\n${hint}`);
    // Not as structured content, which clients check against the schema of a success.
    if (wantsFacts && failure !== undefined) result._meta = { [ERROR_META]: failure };
    return result;
  }
}

function ownBlocks(text: string, image: ToolImage | undefined): ContentBlock[] {
  const shown: ContentBlock[] = [textBlock(text)];
  if (image !== undefined) shown.push({ type: "image", ...image });
  return shown;
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text: cutLines(text, MAX_TEXT_BYTES) };
}

/** Says what it removed: a text that arrives changed would otherwise be taken for the provider's own. */
function cleanBlocks(blocks: readonly ContentBlock[]): ContentBlock[] {
  let removed = 0;
  const clean = blocks.map((block) => {
    // Pictures and sounds are base64, and long.
    if (block.type === "image" || block.type === "audio") return block;
    return cleanJson(block, (count) => (removed += count)) as ContentBlock;
  });
  return removed === 0 ? clean : [...clean, { type: "text", text: removedNote(removed) }];
}

function failed(text: string): CallResult {
  return { content: [textBlock(cleanText(text))], isError: true };
}
