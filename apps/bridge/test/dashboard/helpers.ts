import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ActionName,
  type ActionParams,
  type ActionResult,
  actions,
  DASHBOARD_PATH,
  type DashboardMessage,
  type TopicData,
  type TopicName,
  type TopicParams,
  topics,
  type ViewMessage,
  ViewMessageSchema,
} from "@ccbridge/protocol/dashboard";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { BridgeOptions, Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";

const names = { command: ["node", "/opt/ccbridge/main.js"], ownCommand: "ccbridge" };

export function tokenFile(...lines: string[]): Partial<Config> {
  const path = join(scratchDirectory(), "tokens");
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
  return { mcpTokensFile: path };
}

/** A bridge with a page of one line, for tests of the protocol only. */
export function startWireBridge(settings: Partial<Config> = {}): Promise<TestBridge> {
  const folder = scratchDirectory();
  mkdirSync(join(folder, "dashboard"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder, "dashboard/main-abc.js"), "export {};");
  return startTestBridge(settings, undefined, { dashboard: { folder, ...names } });
}

export async function startPageBridge(
  settings: Partial<Config> = {},
  options: Partial<BridgeOptions> = {},
): Promise<TestBridge> {
  const folder = fileURLToPath(new URL("../../../dashboard/dist", import.meta.url));
  const dashboard: BridgeOptions["dashboard"] = { folder, ...names };
  return startTestBridge(settings, undefined, { dashboard, ...options });
}

export class WirePage {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly received: ViewMessage[] = [];
  #next = 1;
  readonly #listeners = new Set<() => void>();

  constructor(
    bridge: TestBridge,
    headers: Record<string, string> = {},
    host = `127.0.0.1:${bridge.mcpPort}`,
  ) {
    this.socket = new WebSocket(`ws://${host}${DASHBOARD_PATH}`, {
      headers: { origin: `http://${host}`, ...headers },
    });
    onTestFinished(() => this.socket.terminate());
    this.socket.on("error", () => {});
    this.closed = once(this.socket, "close").then(([code, reason]) => ({
      code,
      reason: String(reason),
    }));
    this.socket.on("message", (data) => {
      this.received.push(ViewMessageSchema.parse(JSON.parse(data.toString())));
      for (const listener of [...this.#listeners]) listener();
    });
  }

  async hello(token?: string): Promise<this> {
    await once(this.socket, "open");
    this.send({ type: "hello", ...(token === undefined ? {} : { token }) });
    await this.until(() => this.received.find(({ type }) => type === "welcome"));
    return this;
  }

  send(message: DashboardMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined || found === false) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }

  watch<T extends TopicName>(topic: T, params: TopicParams<T>) {
    const watch = this.#next++;
    this.send({ type: "watch", watch, topic, params });
    const all = () =>
      this.received.flatMap((message) =>
        message.type === "data" && message.watch === watch
          ? [topics[topic].data.parse(message.data) as TopicData<T>]
          : [],
      );
    return {
      all,
      first: (fits: (data: TopicData<T>) => boolean = () => true) =>
        this.until(() => all().find(fits)),
      failed: () =>
        this.until(() =>
          this.received.find(
            (message): message is Extract<ViewMessage, { type: "failed" }> =>
              message.type === "failed" && message.watch === watch,
          ),
        ),
      stop: () => this.send({ type: "unwatch", watch }),
    };
  }

  async act<A extends ActionName>(name: A, params: ActionParams<A>): Promise<ActionResult<A>> {
    const action = this.#next++;
    this.send({ type: "action", action, name, params });
    const answer = await this.until(() =>
      this.received.find(
        (message): message is Extract<ViewMessage, { type: "answer" | "declined" }> =>
          (message.type === "answer" || message.type === "declined") && message.action === action,
      ),
    );
    if (answer.type === "declined") throw new Error(answer.error);
    return actions[name].result.parse(answer.result) as ActionResult<A>;
  }
}
