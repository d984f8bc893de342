const PROTOCOL_VERSION = "2026-01-26";

type Params = Record<string, unknown>;

export interface HostContext {
  readonly theme?: "light" | "dark";
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
  readonly displayMode?: string;
  readonly availableDisplayModes?: readonly string[];
  readonly containerDimensions?: { readonly height?: number; readonly maxHeight?: number };
  readonly safeAreaInsets?: Readonly<Record<"top" | "right" | "bottom" | "left", number>>;
}

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Params;
}

interface Initialized {
  readonly hostCapabilities?: {
    readonly serverTools?: object;
    readonly updateModelContext?: object;
  };
  readonly hostContext?: HostContext;
}

interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

export interface HostListener {
  notified(method: string, params: Params): void;
  tornDown(): void;
}

export class Host {
  readonly #window: Window;
  readonly #waiting = new Map<
    number,
    { resolve(result: unknown): void; reject(error: Error): void }
  >();
  #requests = 0;
  #listener: HostListener | undefined;

  constructor(window: Window) {
    this.#window = window;
  }

  async connect(listener: HostListener): Promise<Initialized> {
    this.#listener = listener;
    this.#window.addEventListener("message", this.#receive);
    const initialized = (await this.request("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: "ccbridge-screen", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    })) as Initialized;
    this.notify("ui/notifications/initialized", {});
    return initialized;
  }

  request(method: string, params: Params, signal?: AbortSignal): Promise<unknown> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!this.#waiting.delete(id)) return;
        this.notify("notifications/cancelled", { requestId: id });
        reject(new Error("The call was cancelled."));
      });
      this.#post({ jsonrpc: "2.0", id, method, params });
    });
  }

  async callTool(name: string, args: Params, signal?: AbortSignal): Promise<ToolResult> {
    return (await this.request("tools/call", { name, arguments: args }, signal)) as ToolResult;
  }

  notify(method: string, params: Params): void {
    this.#post({ jsonrpc: "2.0", method, params });
  }

  readonly #receive = ({ source, data }: MessageEvent): void => {
    if (source !== this.#window.parent) return;
    const message = data as Message | null;
    if (message?.jsonrpc !== "2.0") return;
    const { id, method, params = {} } = message;
    if (method === undefined) this.#settle(message);
    else if (id === undefined) this.#listener?.notified(method, params);
    else this.#answer(id, method);
  };

  #settle({ id, result, error }: Message): void {
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (error === undefined) waiting?.resolve(result ?? {});
    else waiting?.reject(new Error(error.message ?? "The client refused the call."));
  }

  #answer(id: number | string, method: string): void {
    if (method === "ui/resource-teardown") this.#listener?.tornDown();
    else if (method !== "ping") {
      const error = { code: -32_601, message: `This view does not know ${method}.` };
      return this.#post({ jsonrpc: "2.0", id, error });
    }
    this.#post({ jsonrpc: "2.0", id, result: {} });
  }

  #post(message: object): void {
    // A sandboxed view has no origin and does not know its host's.
    this.#window.parent.postMessage(message, "*");
  }
}
