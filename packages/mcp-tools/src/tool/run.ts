import { z } from "zod";
import type { Tool, ToolContext } from "./define.js";
import { explain } from "./errors.js";

/** The answer to a tools/call, as MCP wants it. */
export interface CallResult {
  [key: string]: unknown;
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Other names that people use for an argument, taken where a tool has no such argument itself. */
const aliases = { computer: "computerId" } as const;

/** Runs a tool. The one place where anything thrown becomes an `isError` result; it never rejects. */
export async function runTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
): Promise<CallResult> {
  const parsed = tool.input.safeParse(withoutAliases(args ?? {}, tool));
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
    const { message, hint } = explain(error, context.settings);
    return failure(`${message}\n${hint}`);
  }
}

function failure(text: string): CallResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** The arguments by the names that the tool lists. A listed name is never overruled by another one. */
function withoutAliases(args: unknown, { input }: Tool): unknown {
  if (typeof args !== "object" || args === null) return args;
  let named = args as Record<string, unknown>;
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(named, alias) || Object.hasOwn(named, name)) continue;
    if (alias in input.shape || !(name in input.shape)) continue;
    const { [alias]: value, ...rest } = named;
    named = { ...rest, [name]: value };
  }
  return named;
}
