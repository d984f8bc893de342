import { Connection, type Message } from "./connection.js";
import { type ModelContext, modelContext } from "./model-context.js";
import { shared, tabId } from "./shared.js";
import {
  contentOf,
  declarationOf,
  errorOf,
  type Input,
  type RunContext,
  type Tool,
  withDefaults,
} from "./tool.js";

export interface ConnectOptions {
  /** Where the bridge listens for pages. @default "ws://127.0.0.1:8765" */
  url?: string;
  /** Only agents that know this id see the page; without it the page joins the common session. */
  session?: string;
  /** What people call this page. @default the document's title */
  name?: string;
  /** Whether tools are also registered with the browser (`document.modelContext`), where it has that. @default true */
  modelContext?: boolean;
  token?: string;
  onState?: (state: PageState, reason?: string) => void;
}

export type PageState = "connecting" | "connected" | "closed";

export interface Page {
  readonly state: PageState;
  tool<const I extends Input = Record<never, never>>(tool: Tool<I>): () => void;
  close(): void;
}

/** A module that is loaded again, as hot updates do, gets the page that it had. */
const connected = new Map<string, ConnectedPage>();

/** Connects the page. Called again with the same options, it returns the same page, as long as that is not closed. */
export function connect(options: ConnectOptions = {}): Page {
  const { url, session, token, name, onState } = options;
  const key = JSON.stringify([url, session, token, name]);
  const known = connected.get(key);
  if (known !== undefined && known.state !== "closed") {
    known.follow(onState);
    return known;
  }
  for (const [other, page] of connected) if (page.state === "closed") connected.delete(other);
  const page = new ConnectedPage(options);
  connected.set(key, page);
  return page;
}

class ConnectedPage implements Page {
  readonly #tools = new Map<string, Tool>();
  readonly #listeners = new Set<NonNullable<ConnectOptions["onState"]>>();
  readonly #context: ModelContext | undefined;
  /** Ends the registration of each tool with the browser. */
  readonly #contexts = new Map<string, AbortController>();
  #maxResultBytes = 4 * 1_024 * 1_024;
  #shownProblems = "";
  readonly #connection: Connection;
  #running = new Map<unknown, AbortController>();
  #state: PageState = "connecting";
  #registering = false;
  #registrations = 0;
  #tab = tabId();

  constructor(options: ConnectOptions) {
    this.follow(options.onState);
    this.#context = options.modelContext === false ? undefined : modelContext();
    this.#connection = new Connection(() => addressOf(options, this.#tab), {
      onOpen: () => {
        this.#become("connected");
        this.#register();
      },
      onMessage: (message) => this.#receive(message),
      onLost: (reason) => {
        this.#abandonCalls();
        this.#become("connecting", reason);
      },
      onReplaced: () => {
        this.#tab = tabId(true);
      },
    });
  }

  get state(): PageState {
    return this.#state;
  }

  follow(onState: ConnectOptions["onState"]): void {
    if (onState === undefined) return;
    this.#listeners.add(onState);
    if (this.#state === "connected") onState("connected");
  }

  tool<const I extends Input>(tool: Tool<I>): () => void {
    const offered = tool as unknown as Tool;
    this.#tools.set(tool.name, offered);
    this.#register();
    this.#registerInBrowser(offered);
    return () => {
      // A newer tool of this name must stay.
      if (this.#tools.get(tool.name) !== offered) return;
      this.#tools.delete(tool.name);
      this.#contexts.get(tool.name)?.abort();
      this.#contexts.delete(tool.name);
      this.#register();
    };
  }

  close(): void {
    for (const controller of this.#contexts.values()) controller.abort();
    this.#contexts.clear();
    this.#connection.close();
    this.#abandonCalls();
    this.#become("closed");
  }

  #become(state: PageState, reason?: string): void {
    if (this.#state === state && reason === undefined) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state, reason);
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

  /** The browser's own assistant sees the tools too. It refuses some names and schemas, which only the console hears. */
  #registerInBrowser(tool: Tool): void {
    this.#contexts.get(tool.name)?.abort();
    if (this.#context === undefined) return;
    const controller = new AbortController();
    this.#contexts.set(tool.name, controller);
    shared.offered.add(tool.name);
    controller.signal.addEventListener("abort", () => shared.offered.delete(tool.name));
    const { name, title, description, inputSchema, annotations } = declarationOf(tool);
    const { signal } = controller;
    const execute = (input: object) =>
      tool.run(withDefaults(tool.input, { ...input }) as never, { signal, progress: () => {} });
    const described = { name, description, inputSchema, execute };
    Promise.resolve()
      .then(() =>
        this.#context?.registerTool(
          { ...described, ...(title && { title }), ...(annotations && { annotations }) },
          { signal },
        ),
      )
      .catch((error) =>
        console.error(`ccbridge: the browser did not take the tool ${name}:`, error),
      );
  }

  #onRegistered(result: Registered): void {
    const { leftOut = [], maxResultBytes } = result;
    if (typeof maxResultBytes === "number") this.#maxResultBytes = maxResultBytes;
    const problems = leftOut.map(({ tool, problem }) => `${tool}: ${problem}`).join("\n");
    if (problems !== "" && problems !== this.#shownProblems) {
      console.error(`ccbridge: these tools are not offered.\n${problems}`);
    }
    this.#shownProblems = problems;
  }

  #receive({ id, method, params = {}, result, error }: Message): void {
    if (method === "bridge/notice") return console.error(`ccbridge: ${params.message}`);
    if (method === undefined && String(id).startsWith("register-")) {
      if (error) console.error(`ccbridge: no tool is offered: ${error.message}`);
      return this.#onRegistered(Object(result));
    }
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
    const progress: RunContext["progress"] = (done, total, message) => {
      if (signal.aborted) return;
      const report = { progressToken: id, progress: done, total, message };
      this.#connection.send({ method: "notifications/progress", params: report });
    };
    const outcome = await runTool(tool, params.arguments, { signal, progress });
    this.#running.delete(id);
    if (signal.aborted) return;
    const bytes = sizeOf(outcome);
    if (bytes <= this.#maxResultBytes) return this.#connection.send({ id, ...outcome });
    const message =
      `The result of ${tool.name} has ${bytes} bytes, where ${this.#maxResultBytes} is the limit. ` +
      "Return less, or scale pictures down (maxSide).";
    console.error(`ccbridge: ${message}`);
    const error = { code: -32603, message, data: { btcpCode: "RESULT_TOO_LARGE" } };
    this.#connection.send({ id, error });
  }

  #abandonCalls(): void {
    const running = this.#running;
    this.#running = new Map();
    for (const controller of running.values()) controller.abort();
  }
}

async function runTool(tool: Tool, args: unknown, context: RunContext): Promise<object> {
  try {
    const filled = withDefaults(tool.input, Object(args));
    return { result: await contentOf(await tool.run(filled as never, context), tool.maxSide) };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** The token goes into the path: every client of this protocol supports that. */
function addressOf(options: ConnectOptions, tab: string | undefined): string {
  const { url = "ws://127.0.0.1:8765", session, token } = options;
  const name = options.name ?? globalThis.document?.title;
  const address = new URL(url);
  const parts = address.pathname.split("/").filter((part) => part !== "");
  if (parts.at(-1) === "ws") parts.pop();
  if (token !== undefined) parts.push(encodeURIComponent(token));
  address.pathname = [...parts, "ws"].join("/");
  if (session !== undefined) address.searchParams.set("sessionId", session);
  if (name) address.searchParams.set("name", name.slice(0, 80));
  if (tab !== undefined) address.searchParams.set("tab", tab);
  address.searchParams.set("clientType", "browser");
  return address.href;
}

/** What the bridge answers to a list of tools. */
interface Registered {
  leftOut?: { tool: string; problem: string }[];
  maxResultBytes?: number;
}

function sizeOf(outcome: object): number {
  return new TextEncoder().encode(JSON.stringify(outcome)).length;
}
