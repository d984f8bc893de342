import { isRecord } from "../json-schema.js";
import { PageErrorCode } from "./errors.js";

/** An error as agents of this protocol expect it: the code is a word. */
export interface AgentError {
  code: string;
  message: string;
}

const words = new Map<unknown, string>([
  [-32_700, "PARSE_ERROR"],
  [-32_600, "INVALID_REQUEST"],
  [-32_601, "METHOD_NOT_FOUND"],
  [-32_602, PageErrorCode.invalidParams],
]);

export function toAgentError(error: {
  code?: unknown;
  message: string;
  data?: unknown;
}): AgentError {
  const { btcpCode, unknown } = Object(error.data) as { btcpCode?: unknown; unknown?: unknown };
  const word = unknown === "tool" ? PageErrorCode.toolNotFound : words.get(error.code);
  const code = typeof btcpCode === "string" ? btcpCode : word;
  return { code: code ?? PageErrorCode.executionError, message: error.message };
}

/**
 * The bare value of a tool's result: a single text is that text, or the object or list that it is the JSON of.
 * Other results are MCP content.
 */
export function bareResult(result: unknown): { result: unknown } | { error: AgentError } {
  const { content, isError, structuredContent } = Object(result) as Record<string, unknown>;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) => (isText(block) ? [block.text] : []));
  if (isError === true) {
    const message = texts.join("\n") || "The tool failed.";
    return { error: { code: PageErrorCode.executionError, message } };
  }
  if (structuredContent !== undefined) return { result: structuredContent };
  const [text] = texts;
  if (text === undefined || blocks.length > 1) return { result: { content: blocks } };
  return { result: parsedText(text) };
}

function isText(block: unknown): block is { text: string } {
  return isRecord(block) && block.type === "text" && typeof block.text === "string";
}

/** Numbers stay text: one with many digits would change. */
function parsedText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
