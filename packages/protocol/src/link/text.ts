import { z } from "zod";

/** Bytes that were not UTF-8 travel as base64; they are read as characters of the same code. */
export function decodeText(text: string, encoding: "base64" | undefined): string {
  if (encoding === undefined) return text;
  try {
    return atob(text);
  } catch {
    return text;
  }
}

const OutputOfResultSchema = z.object({
  output: z.string(),
  encoding: z.literal("base64").optional().catch(undefined),
  truncated: z.boolean().optional().catch(undefined),
});

/** All output that a result repeats, whatever the method; empty when it has none. */
export function outputOfResult(result: unknown): string {
  const parsed = OutputOfResultSchema.safeParse(result);
  if (!parsed.success) return "";
  const { output, encoding, truncated } = parsed.data;
  const text = decodeText(output, encoding);
  return truncated === true ? `[... the beginning is missing ...]\n${text}` : text;
}
