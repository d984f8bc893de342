import { Connection, type Message } from "./connection.js";
import { contentOf, declarationOf, errorOf, type Input, type Tool, withDefaults } from "./tool.js";

export interface ConnectOptions {
  /** Where the bridge listens for pages. @default "ws://127.0.0.1:8765" */
  url?: string;
  /** Only agents that know this id see the page; without it the page joins the common session. */
  session?: string;
  token?: string;
  onState?: (state: PageState, reason?: string) => void;
}

export type PageState = "connecting" | "connected" | "closed";

export interface Page {
  readonly state: PageState;
  tool<const I extends Input = Record<never, never>>(tool: Tool<I>): () => void;
  close(): void;
}

export function connect(options: ConnectOptions = {}): Page {
  return new ConnectedPage(options);
}

class ConnectedPage implements Page {
  readonly #tools = new Map<string, Tool>();
  readonly #onState: ConnectOptions["onState"];
  readonly #connection: Connection;
  #running = new Map<unknown, AbortController>();
  #state: PageState = "connecting";
  #registering = false;
  #registrations = 0;

  constructor(options: ConnectOptions) {
    this.#onState = options.onState;
    this.#connection = new Connection(addressOf(options), {
      onOpen: () => {
        this.#become("connected");
        this.#register();
      },
      onMessage: (message) => this.#receive(message),
      onLost: (reason) => {
        this.#abandonCalls();
        this.#become("connecting", reason);
      },
    });
  }

  get state(): PageState {
    return this.#state;
  }

  tool<const I extends Input>(tool: Tool<I>): () => void {
    const offered = tool as unknown as Tool;
    this.#tools.set(tool.name, offered);
    this.#register();
    return () => {
      // A newer tool of this name must stay.
      if (this.#tools.get(tool.name) !== offered) return;
      this.#tools.delete(tool.name);
      this.#register();
    };
  }

  close(): void {
    this.#connection.close();
    this.#abandonCalls();
    this.#become("closed");
  }

  #become(state: PageState, reason?: string): void {
    if (this.#state === state && reason === undefined) return;
    this.#state = state;
    this.#onState?.(state, reason);
  }

  /** Batched: sends the whole list once per turn. */
  #register(): void {
    if (this.#registering) return;
    this.#registering = true;
    queueMicrotask(() => {
      this.#registering = false;
      const id = `register-${++this.#registrations}`;
      const params = { tools: this.#declarations() };
      this.#connection.send({ id, method: "tools/register", params });
    });
  }

  #declarations(): object[] {
    return [...this.#tools.values()].map(declarationOf);
  }

  #receive({ id, method, params = {} }: Message): void {
    if (method === "notifications/cancelled") this.#running.get(params.requestId)?.abort();
    if (id === undefined || method === undefined) return;
    if (method === "tools/call") void this.#call(id, params);
    else if (method === "ping") this.#connection.send({ id, result: { pong: true } });
    else if (method === "tools/list") {
      this.#connection.send({ id, result: { tools: this.#declarations() } });
    } else this.#refuse(id, `Method not found: ${method}`);
  }

  #refuse(id: string | number, message: string): void {
    this.#connection.send({ id, error: { code: -32601, message } });
  }

  async #call(id: string | number, params: Record<string, unknown>): Promise<void> {
    const tool = this.#tools.get(String(params.name));
    if (tool === undefined) return this.#refuse(id, `Tool not found: ${params.name}`);
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    const outcome = await runTool(tool, params.arguments, signal);
    this.#running.delete(id);
    if (!signal.aborted) this.#connection.send({ id, ...outcome });
  }

  #abandonCalls(): void {
    const running = this.#running;
    this.#running = new Map();
    for (const controller of running.values()) controller.abort();
  }
}

async function runTool(tool: Tool, args: unknown, signal: AbortSignal): Promise<object> {
  try {
    const filled = withDefaults(tool.input, Object(args));
    return { result: await contentOf(await tool.run(filled as never, { signal })) };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** The token goes into the path: every client of this protocol supports that. */
function addressOf({ url = "ws://127.0.0.1:8765", session, token }: ConnectOptions): string {
  const address = new URL(url);
  const parts = address.pathname.split("/").filter((part) => part !== "");
  if (parts.at(-1) === "ws") parts.pop();
  if (token !== undefined) parts.push(encodeURIComponent(token));
  address.pathname = [...parts, "ws"].join("/");
  if (session !== undefined) address.searchParams.set("sessionId", session);
  address.searchParams.set("clientType", "browser");
  return address.href;
}
