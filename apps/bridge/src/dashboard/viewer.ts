import {
  type AskName,
  asks,
  CloseReason,
  type PageMessage,
  PageMessageSchema,
  type TopicName,
  topics,
  type ViewMessage,
} from "@ccbridge/protocol/dashboard";
import { LinkError, TooManyWatchersError } from "@ccbridge/registry";
import type { WebSocket } from "ws";
import { shapeProblem } from "../http/json-shape.js";
import { limits } from "../limits.js";
import { type AskContext, answerAsk } from "./asks/index.js";
import { openFeed } from "./feeds/index.js";
import { ViewError } from "./sight/error.js";
import type { Feed } from "./sight/feed.js";

/** Pings that distinguish a viewer that is gone from one that is idle. */
const PING_MS = 25_000;

export interface ViewerOptions {
  readonly socket: WebSocket;
  readonly context: AskContext;
  readonly version: string;
  /** Told of what should not have happened. */
  onFault(error: unknown): void;
}

/** One open page: what it watches, and what it asks. */
export class PageViewer {
  readonly #options: ViewerOptions;
  readonly #feeds = new Map<number, Feed>();
  /** Watches that may have something new, in the order in which they said so. */
  readonly #ready = new Set<number>();
  #isSending = false;
  #openAsks = 0;
  #isAlive = true;
  #isOver = false;

  constructor(options: ViewerOptions) {
    this.#options = options;
    const { socket, context, version } = options;
    const ping = setInterval(() => {
      if (!this.#isAlive) return socket.terminate();
      this.#isAlive = false;
      socket.ping();
    }, PING_MS);
    ping.unref();
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.once("close", () => {
      this.#isOver = true;
      clearInterval(ping);
      for (const watch of [...this.#feeds.keys()]) this.#unwatch(watch);
    });
    this.#send({ type: "welcome", version, viewer: context.sight.viewer });
  }

  /** Takes a message of the page. */
  take(text: string): void {
    this.#isAlive = true;
    const message = readMessage(text);
    switch (message?.type) {
      case "watch":
        return this.#watch(message);
      case "unwatch":
        return this.#unwatch(message.watch);
      case "ask":
        return void this.#ask(message);
      default:
        this.#options.socket.close(CloseReason.malformed, "not a message of the dashboard");
    }
  }

  #watch({ watch, topic, params }: Extract<PageMessage, { type: "watch" }>): void {
    this.#unwatch(watch);
    try {
      if (!Object.hasOwn(topics, topic))
        throw new ViewError("This bridge does not know that view.");
      if (this.#feeds.size >= limits.dashboardWatches) {
        throw new ViewError(`A page watches ${limits.dashboardWatches} things at most.`);
      }
      const name = topic as TopicName;
      const parsed = topics[name].params.safeParse(params);
      if (!parsed.success) throw new ViewError("The view was asked for in a wrong way.");
      const ready = () => {
        this.#ready.add(watch);
        // A feed may be ready while it is being opened.
        queueMicrotask(() => void this.#pump());
      };
      this.#feeds.set(watch, openFeed(name, parsed.data, this.#options.context, ready));
    } catch (error) {
      this.#fail(watch, error);
    }
  }

  #unwatch(watch: number): void {
    this.#ready.delete(watch);
    const feed = this.#feeds.get(watch);
    this.#feeds.delete(watch);
    feed?.close();
  }

  #fail(watch: number, error: unknown): void {
    this.#unwatch(watch);
    this.#send({ type: "failed", watch, error: this.#explain(error) });
  }

  async #ask({ ask, name, params }: Extract<PageMessage, { type: "ask" }>): Promise<void> {
    if (this.#openAsks >= limits.dashboardAsks) {
      const error = `${limits.dashboardAsks} questions of this page are open. Wait for an answer.`;
      return this.#send({ type: "declined", ask, error });
    }
    this.#openAsks += 1;
    try {
      const result = await this.#answer(name, params);
      this.#send({ type: "answer", ask, result });
    } catch (error) {
      this.#send({ type: "declined", ask, error: this.#explain(error) });
    } finally {
      this.#openAsks -= 1;
    }
  }

  async #answer(name: string, params: unknown): Promise<unknown> {
    if (!Object.hasOwn(asks, name)) throw new ViewError("This bridge does not know that question.");
    const known = name as AskName;
    const parsed = asks[known].params.safeParse(params);
    if (!parsed.success) throw new ViewError("The question was asked in a wrong way.");
    return answerAsk(known, parsed.data, this.#options.context);
  }

  /** Sends what is new, one message after the other: the next is taken when the last has left. */
  async #pump(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (const watch of this.#ready) {
      this.#ready.delete(watch);
      const feed = this.#feeds.get(watch);
      try {
        const data = await feed?.take();
        if (data === undefined || this.#feeds.get(watch) !== feed) continue;
        await this.#sent({ type: "data", watch, data });
      } catch (error) {
        if (this.#feeds.get(watch) === feed) this.#fail(watch, error);
      }
      if (this.#isOver) break;
    }
    this.#isSending = false;
  }

  #send(message: ViewMessage): void {
    void this.#sent(message);
  }

  /** Sends a message. Resolves when the network has taken it, or never will. */
  #sent(message: ViewMessage): Promise<void> {
    const { socket } = this.#options;
    if (socket.bufferedAmount > limits.dashboardUnread) socket.terminate();
    if (this.#isOver || socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => socket.send(JSON.stringify(message), () => resolve()));
  }

  #explain(error: unknown): string {
    if (error instanceof ViewError || error instanceof LinkError) return error.message;
    if (error instanceof TooManyWatchersError) return `${error.message} Close another page.`;
    this.#options.onFault(error);
    return "The bridge failed at this. Its log says more.";
  }
}

/** Reads a message of a page; undefined when it is invalid or would take long to build. */
export function readMessage(text: string): PageMessage | undefined {
  const { jsonDepth: depth, jsonValues: values } = limits;
  if (shapeProblem(text, { depth, values, items: Infinity }) !== undefined) return undefined;
  try {
    return PageMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
