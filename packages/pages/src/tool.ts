/** Required unless it has a default or is optional. */
export interface Field {
  type: "string" | "number" | "integer" | "boolean" | "array" | "object";
  description?: string;
  default?: unknown;
  optional?: boolean;
  enum?: readonly (string | number)[];
  /** Further JSON Schema keywords: `minimum`, `items`, `pattern`, ... */
  [keyword: string]: unknown;
}

export type Input = Readonly<Record<string, Field>>;

interface Values {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  array: unknown[];
  object: Record<string, unknown>;
}

type ValueOf<F extends Field> = F extends { enum: readonly (infer V)[] } ? V : Values[F["type"]];

type OptionalKey<I extends Input> = {
  [K in keyof I]: I[K] extends { default: unknown }
    ? never
    : I[K] extends { optional: true }
      ? K
      : never;
}[keyof I];

export type ArgumentsOf<I extends Input> = {
  [K in Exclude<keyof I, OptionalKey<I>>]: ValueOf<I[K]>;
} & { [K in OptionalKey<I>]?: ValueOf<I[K]> };

export interface RunContext {
  /** Aborted when the result is no longer needed. */
  signal: AbortSignal;
  /** Shows the client how far a long call is: `progress(3, 10, "third chapter")`. */
  progress(done: number, total?: number, message?: string): void;
}

/**
 * Text is returned unchanged, an image `Blob` or a canvas as a picture, `{ content: [...] }` as MCP content,
 * a list with any of them block by block, and any other value as JSON. A thrown error is shown to the model; a `code` such as
 * `CELL_NOT_FOUND` is kept.
 */
export type Run<I extends Input> = (args: ArgumentsOf<I>, context: RunContext) => unknown;

export interface Tool<I extends Input = Input> {
  /** Letters, digits and `_`, at most 48. */
  name: string;
  /** What it does and when to use it, for a model that has never seen the page. */
  description: string;
  input?: I;
  /** A whole JSON Schema, instead of `input`. */
  inputSchema?: object;
  title?: string;
  /** Such as `{ readOnlyHint: true }`. */
  annotations?: Readonly<Record<string, unknown>>;
  /** Pictures with a longer side are scaled down to it, in pixels. */
  maxSide?: number;
  /** Such as `dom:write`: the bridge hides the tool until all are granted. */
  capabilities?: readonly string[];
  /** From 1,000 to 300,000; then the call fails. @default 30000 */
  timeoutMs?: number;
  run: Run<I>;
}

export function declarationOf(tool: Tool) {
  const { name, title, description, input = {}, annotations, capabilities, timeoutMs } = tool;
  const properties = Object.entries(input).map(([key, { optional, ...schema }]) => [key, schema]);
  const required = Object.entries(input)
    .filter(([, field]) => field.optional !== true && field.default === undefined)
    .map(([key]) => key);
  return {
    name,
    description,
    inputSchema: tool.inputSchema ?? {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    },
    ...(title !== undefined && { title }),
    ...(annotations !== undefined && { annotations }),
    capabilities: capabilities ?? [],
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  };
}

export function withDefaults(input: Input = {}, args: Record<string, unknown>) {
  const filled = { ...args };
  for (const [key, field] of Object.entries(input)) {
    if (!Object.hasOwn(filled, key) && field.default !== undefined) filled[key] = field.default;
  }
  return filled;
}

export async function contentOf(value: unknown, maxSide?: number): Promise<object> {
  if (isContent(value)) return value;
  const parts = Array.isArray(value) && value.some(isDrawn) ? value : [value];
  const content = parts.map(async (part) =>
    isDrawn(part) ? blockOf(await blobOf(part), maxSide) : textBlock(textOf(part)),
  );
  return { content: await Promise.all(content), isError: false };
}

type Drawn = Blob | HTMLCanvasElement | OffscreenCanvas | SVGSVGElement;

function isDrawn(value: unknown): value is Drawn {
  const classes = ["Blob", "HTMLCanvasElement", "OffscreenCanvas", "SVGSVGElement"];
  return classes.some((name) => isA(name, value));
}

/** Not every place that runs scripts has every class. */
function isA(name: string, value: unknown): boolean {
  const known = (globalThis as Record<string, unknown>)[name];
  return typeof known === "function" && value instanceof known;
}

async function blobOf(drawn: Drawn): Promise<Blob> {
  if (drawn instanceof Blob) return drawn;
  if ("convertToBlob" in drawn) return drawn.convertToBlob();
  if ("toBlob" in drawn) {
    const blob = await new Promise<Blob | null>((done) => drawn.toBlob(done));
    if (blob === null) throw new Error("The canvas is empty, or shows a picture of another site.");
    return blob;
  }
  return new Blob([new XMLSerializer().serializeToString(drawn)], { type: "image/svg+xml" });
}

const textBlock = (text: string) => ({ type: "text", text });

/** Pictures that models read; other formats are drawn as PNG where the browser can. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

async function blockOf(blob: Blob, maxSide: number | undefined): Promise<object> {
  const { type } = blob;
  if (type.startsWith("image/")) {
    const image = await pictureOf(blob, maxSide);
    return { type: "image", data: await base64Of(image), mimeType: image.type };
  }
  if (type.startsWith("audio/")) {
    return { type: "audio", data: await base64Of(blob), mimeType: type };
  }
  if (type.startsWith("text/") || /\b(json|xml|javascript)\b/.test(type)) {
    return textBlock(await blob.text());
  }
  const uri = `blob:${type || "application/octet-stream"}`;
  return { type: "resource", resource: { uri, mimeType: type, blob: await base64Of(blob) } };
}

async function pictureOf(blob: Blob, maxSide = Number.POSITIVE_INFINITY): Promise<Blob> {
  const isKnown = PICTURES.includes(blob.type);
  if (isKnown && !Number.isFinite(maxSide)) return blob;
  const drawn = await bitmapOf(blob);
  const scale = Math.min(1, maxSide / Math.max(drawn.width, drawn.height));
  if (isKnown && scale === 1) return blob;
  const [width, height] = [drawn.width, drawn.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number];
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.drawImage(drawn, 0, 0, width, height);
  return canvas.convertToBlob({ type: blob.type === "image/jpeg" ? "image/jpeg" : "image/png" });
}

/** A vector picture can only be drawn by an element. */
async function bitmapOf(blob: Blob): Promise<HTMLImageElement | ImageBitmap> {
  if (blob.type !== "image/svg+xml") return createImageBitmap(blob);
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  URL.revokeObjectURL(image.src);
  return image;
}

function isContent(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && "content" in value && isBlocks(value.content)
  );
}

function isBlocks(content: unknown): boolean {
  return Array.isArray(content) && content.every((block) => typeof block?.type === "string");
}

function textOf(value: unknown): string {
  if (value === undefined) return "Done.";
  return typeof value === "string" ? value : (JSON.stringify(value, asJson) ?? String(value));
}

/** What JSON would show as `{}` or a list of numbers by index. */
function asJson(_: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (typeof value === "bigint") return String(value);
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return [...(value as unknown as Iterable<number>)];
  }
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Blob) return `(${value.type || "a file"}, ${value.size} bytes)`;
  if (isA("Element", value)) return (value as Element).outerHTML;
  return value;
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  // Too many arguments at once overflow the stack.
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return btoa(text);
}

export function errorOf(error: unknown): object {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const word =
    typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : "EXECUTION_ERROR";
  return {
    code: -32603,
    message: typeof message === "string" && message !== "" ? message : String(error),
    data: { btcpCode: word },
  };
}
