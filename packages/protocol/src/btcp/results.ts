import { z } from "zod";
import { isRecord } from "../json-schema.js";
import { MAX_BLOCKS, MAX_FROM_PAGE_BYTES } from "./constants.js";
import { imageOf, isBase64 } from "./images.js";
import { cutText } from "./text.js";

const annotations = z
  .object({
    audience: z
      .array(z.enum(["user", "assistant"]))
      .max(2)
      .optional(),
    priority: z.number().min(0).max(1).optional(),
  })
  .optional()
  .catch(undefined);

const text = z.string().transform((value) => cutText(value, MAX_FROM_PAGE_BYTES));
const base64 = z.string().refine(isBase64);
const mimeType = z.string().max(256).optional().catch(undefined);
const uri = z.string().min(1).max(8_192);
const title = z.string().max(256).optional().catch(undefined);

const ResourceSchema = z.union([
  z.object({ uri, mimeType, text }),
  z.object({ uri, mimeType, blob: base64 }),
]);

export const ContentBlockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text, annotations }),
  z.object({ type: z.literal("image"), data: base64, mimeType: z.string().max(256), annotations }),
  z.object({ type: z.literal("audio"), data: base64, mimeType: z.string().max(256), annotations }),
  z.object({ type: z.literal("resource"), resource: ResourceSchema, annotations }),
  z.object({
    type: z.literal("resource_link"),
    uri,
    name: z.string().max(256),
    title,
    description: z.string().max(4_096).optional().catch(undefined),
    mimeType,
    annotations,
  }),
]);
export type ContentBlock = z.infer<typeof ContentBlockSchema>;

export interface PageResult {
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError: boolean;
}

export function toPageResult(result: unknown): PageResult {
  if (!isContent(result)) return { content: [blockOfValue(result)], isError: false };
  const { structuredContent } = result;
  const content = result.content.slice(0, MAX_BLOCKS).map(toBlock);
  const left = result.content.length - MAX_BLOCKS;
  if (left > 0) content.push({ type: "text", text: `[${left} more blocks were left out]` });
  const isError = result.isError === true;
  if (!isRecord(structuredContent)) return { content, isError };
  // Most models see only the content.
  if (content.length === 0) content.push(blockOfValue(structuredContent));
  return { content, structuredContent, isError };
}

const contentKeys: ReadonlySet<string> = new Set([
  "content",
  "isError",
  "structuredContent",
  "_meta",
]);

interface Content {
  content: ({ type: string } & Record<string, unknown>)[];
  isError?: unknown;
  structuredContent?: unknown;
}

/** Pages also return objects with an unrelated `content` field; only a list of blocks is MCP content. */
function isContent(result: unknown): result is Content {
  if (!isRecord(result) || !Array.isArray(result.content)) return false;
  if (result.content.length === 0) return Object.keys(result).every((key) => contentKeys.has(key));
  return result.content.every((block) => isRecord(block) && typeof block.type === "string");
}

function blockOfValue(value: unknown): ContentBlock {
  if (value === undefined) return textBlock("The tool returned nothing.");
  if (typeof value !== "string") return textBlock(JSON.stringify(value));
  const image = value.startsWith("data:image/") ? imageOf(value) : undefined;
  return image === undefined ? textBlock(value) : { type: "image", ...image };
}

function toBlock(block: { type: string } & Record<string, unknown>): ContentBlock {
  if (block.type === "image") return imageBlock(block);
  const parsed = ContentBlockSchema.safeParse(mended(block));
  return parsed.success ? withoutAbsent(parsed.data) : textBlock(JSON.stringify(block));
}

/** A common client labels any alphanumeric text as an image, so check the magic number. */
function imageBlock(block: Record<string, unknown>): ContentBlock {
  if (typeof block.data !== "string") return textBlock(JSON.stringify(block));
  const image = imageOf(block.data);
  return image === undefined ? textBlock(block.data) : { type: "image", ...image };
}

function mended(block: { type: string } & Record<string, unknown>): unknown {
  if (block.type === "resource" && !isRecord(block.resource)) {
    const { type, ...resource } = block;
    return { type, resource };
  }
  if (block.type === "resource_link") {
    return { ...block, name: typeof block.name === "string" ? block.name : block.uri };
  }
  return block;
}

function textBlock(value: string): ContentBlock {
  return { type: "text", text: cutText(value, MAX_FROM_PAGE_BYTES) };
}

function withoutAbsent(block: ContentBlock): ContentBlock {
  return JSON.parse(JSON.stringify(block)) as ContentBlock;
}
