/** The parts of the browser's WebMCP interface that are used here. */
export interface ContextTool {
  name: string;
  title?: string;
  description: string;
  inputSchema?: object;
  annotations?: Readonly<Record<string, unknown>>;
  /** The window that registered it. */
  window?: unknown;
}

export interface RegisteredTool extends ContextTool {
  execute(input: object, client?: unknown): unknown;
}

export interface ModelContext extends EventTarget {
  registerTool(tool: RegisteredTool, options?: { signal?: AbortSignal }): unknown;
  getTools(): Promise<ContextTool[]>;
  executeTool(
    tool: ContextTool,
    input: object,
    options?: { signal?: AbortSignal },
  ): Promise<unknown>;
}

/** The browser's own interface, or one that a script installed. */
export function modelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as unknown as Record<
    "document" | "navigator",
    { modelContext?: ModelContext } | undefined
  >;
  return document?.modelContext ?? navigator?.modelContext;
}
