import { z } from "zod";
import type { Tool, ToolContext } from "./define-tool.js";
import { explain } from "./errors.js";

/** The answer to a tools/call, as MCP wants it. */
export interface CallResult {
  [key: string]: unknown;
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** A failure of a handler that the caller can do something about. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Runs a tool. The one place where anything thrown becomes an `isError` result; it never rejects. */
export async function runTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<CallResult> {
  const parsed = tool.input.safeParse(args ?? {});
  if (!parsed.success) {
    return failure(
      `The arguments of ${tool.name} are not valid: ${z.prettifyError(parsed.error)}\nCorrect them and call ${tool.name} again.`,
    );
  }
  try {
    const { text, structured, image, isError } = await tool.handler(parsed.data, context);
    return {
      content: [
        { type: "text", text },
        ...(image === undefined ? [] : [{ type: "image" as const, ...image }]),
      ],
      ...(structured === undefined ? {} : { structuredContent: structured }),
      ...(isError === true ? { isError } : {}),
    };
  } catch (error) {
    const { message, hint } = error instanceof ToolError ? error : explain(error, context.settings);
    return failure(`${message}\n${hint}`);
  }
}

function failure(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}
