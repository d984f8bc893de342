import { ToolError } from "@ccbridge/mcp-tools";
import { exceededLimit, wellFormedJson } from "@ccbridge/protocol";
import {
  type ActionName,
  actions,
  CloseReason,
  type DashboardMessage,
  DashboardMessageSchema,
  type TopicName,
  topics,
  type Viewer,
  type ViewMessage,
} from "@ccbridge/protocol/dashboard";
import { LinkError, TooManyWatchersError } from "@ccbridge/registry";
import { CallRefused } from "../../calls/rates.js";
import { limits } from "../../config/limits.js";
import type { PeerSocket, SocketListener } from "../../http/peer-socket.js";
import { type ActionContext, runAction } from "../actions/index.js";
import { refusal } from "../context/tools.js";
import { openWatch, type TopicContext } from "../topics/index.js";
import type { Watch } from "../topics/watch.js";

const PING_MS = 25_000;

export interface ViewerSessionOptions {
  readonly socket: PeerSocket;
  readonly context: ActionContext & TopicContext;
  readonly viewer: Viewer;
  readonly version: string;
  readonly isDemo: boolean;
  onFault(error: unknown): void;
}

export class ViewerSession implements SocketListener {
  readonly #options: ViewerSessionOptions;
  readonly #watches = new Map<number, Watch>();
  readonly #ready = new Set<number>();
  #isSending = false;
  #openActions = 0;
  #isAlive = true;
  #isOver = false;
  readonly #pings: NodeJS.Timeout;

  constructor(options: ViewerSessionOptions) {
    this.#options = options;
    const { socket, viewer } = options;
    this.#pings = setInterval(() => {
      if (!this.#isAlive) return socket.drop("it did not answer a ping");
      this.#isAlive = false;
      socket.ping();
    }, PING_MS).unref();
    this.welcome(viewer);
  }

  /** Again when what the viewer may do has changed: the page then watches what it shows again. */
  welcome(viewer: Viewer): void {
    const { version, isDemo } = this.#options;
    this.#send({ type: "welcome", version, isDemo, viewer });
  }

  alive(): void {
    this.#isAlive = true;
  }

  closed(): void {
    this.#isOver = true;
    clearInterval(this.#pings);
    for (const watch of [...this.#watches.keys()]) this.#unwatch(watch);
  }

  receiveBinary(): void {
    this.#options.socket.close(CloseReason.malformed, "the dashboard uses text frames");
  }

  receive(text: string): void {
    this.#isAlive = true;
    const message = readMessage(text);
    switch (message?.type) {
      case "watch":
        return this.#watch(message);
      case "unwatch":
        return this.#unwatch(message.watch);
      case "action":
        return void this.#act(message);
      default:
        this.#options.socket.close(CloseReason.malformed, "not a message of the dashboard");
    }
  }

  #watch({ watch, topic, params }: Extract<DashboardMessage, { type: "watch" }>): void {
    this.#unwatch(watch);
    try {
      if (!Object.hasOwn(topics, topic)) throw refusal("This bridge does not know that view.");
      if (this.#watches.size >= limits.dashboardWatches) {
        throw refusal(`A page watches ${limits.dashboardWatches} things at most.`);
      }
      const name = topic as TopicName;
      const parsed = topics[name].params.safeParse(params);
      if (!parsed.success) throw refusal("Invalid parameters for this view.");
      const ready = () => {
        this.#ready.add(watch);
        // It may be ready while it is being opened.
        queueMicrotask(() => void this.#pump());
      };
      this.#watches.set(watch, openWatch(name, parsed.data, this.#options.context, ready));
      ready();
    } catch (error) {
      this.#fail(watch, error);
    }
  }

  #unwatch(watch: number): void {
    this.#ready.delete(watch);
    const watched = this.#watches.get(watch);
    this.#watches.delete(watch);
    watched?.close();
  }

  #fail(watch: number, error: unknown): void {
    this.#unwatch(watch);
    const { retryMs } = error instanceof CallRefused ? error : { retryMs: undefined };
    const again = retryMs === undefined ? {} : { retryMs };
    this.#send({ type: "failed", watch, error: this.#explain(error), ...again });
  }

  async #act({
    action,
    name,
    params,
  }: Extract<DashboardMessage, { type: "action" }>): Promise<void> {
    if (this.#openActions >= limits.dashboardActions) {
      const error = `${limits.dashboardActions} actions of this page are open. Wait for an answer.`;
      return this.#send({ type: "declined", action, error });
    }
    this.#openActions += 1;
    try {
      const result = await this.#run(name, params);
      this.#send({ type: "answer", action, result });
    } catch (error) {
      const code = error instanceof LinkError ? { code: error.code } : {};
      this.#send({ type: "declined", action, error: this.#explain(error), ...code });
    } finally {
      this.#openActions -= 1;
    }
  }

  async #run(name: string, params: unknown): Promise<unknown> {
    if (!Object.hasOwn(actions, name)) throw refusal("This bridge does not know that action.");
    const known = name as ActionName;
    const parsed = actions[known].params.safeParse(params);
    if (!parsed.success) throw refusal("Invalid parameters for this action.");
    return runAction(known, parsed.data, this.#options.context);
  }

  /** Sends one message at a time, so that a slow page gets the newest state. */
  async #pump(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (const watch of this.#ready) {
      this.#ready.delete(watch);
      const watched = this.#watches.get(watch);
      try {
        const data = await watched?.poll();
        if (data === undefined || this.#watches.get(watch) !== watched) continue;
        await this.#sent({ type: "data", watch, data });
      } catch (error) {
        if (this.#watches.get(watch) === watched) this.#fail(watch, error);
      }
      if (this.#isOver) break;
    }
    this.#isSending = false;
  }

  #send(message: ViewMessage): void {
    void this.#sent(message);
  }

  /** Resolves when the message was sent, or never will be. */
  #sent(message: ViewMessage): Promise<void> {
    return new Promise((resolve) => this.#options.socket.send(wellFormedJson(message), resolve));
  }

  #explain(error: unknown): string {
    // Hints are for models, except when to try again.
    if (error instanceof CallRefused && error.retryMs !== undefined) {
      return `${error.message} ${error.hint}`;
    }
    if (error instanceof ToolError || error instanceof LinkError) return error.message;
    if (error instanceof TooManyWatchersError) return `${error.message} Close another page.`;
    this.#options.onFault(error);
    return "The bridge failed at this. Its log says more.";
  }
}

/** Undefined when the message is invalid or over the limits. */
export function readMessage(text: string): DashboardMessage | undefined {
  const { jsonDepth: depth, jsonValues: values } = limits;
  if (exceededLimit(text, { depth, values, items: Infinity }) !== undefined) return undefined;
  try {
    return DashboardMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
