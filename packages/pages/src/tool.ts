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
}

/**
 * Text is returned unchanged, an image `Blob` as a picture, `{ content: [...] }` as MCP content,
 * and any other value as JSON. A thrown error is shown to the model; a `code` such as
 * `CELL_NOT_FOUND` is kept.
 */
export type Run<I extends Input> = (args: ArgumentsOf<I>, context: RunContext) => unknown;

export interface Tool<I extends Input = Input> {
  /** Letters, digits and `_`, at most 48. */
  name: string;
  /** What it does and when to use it, for a model that has never seen the page. */
  description: string;
  input?: I;
  /** Such as `dom:write`: the bridge hides the tool until all are granted. */
  capabilities?: readonly string[];
  /** From 1,000 to 300,000; then the call fails. @default 30000 */
  timeoutMs?: number;
  run: Run<I>;
}

export function declarationOf({ name, description, input = {}, capabilities, timeoutMs }: Tool) {
  const properties = Object.entries(input).map(([key, { optional, ...schema }]) => [key, schema]);
  const required = Object.entries(input)
    .filter(([, field]) => field.optional !== true && field.default === undefined)
    .map(([key]) => key);
  return {
    name,
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    },
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

export async function contentOf(value: unknown): Promise<object> {
  if (isContent(value)) return value;
  const block =
    value instanceof Blob && value.type.startsWith("image/")
      ? { type: "image", data: await base64Of(value), mimeType: value.type }
      : { type: "text", text: textOf(value) };
  return { content: [block], isError: false };
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
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
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
