import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ClientCapabilities,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { BridgeOptions, Config, Logger } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export async function startWithTokens(
  lines: string,
  settings: Partial<Config> = {},
  log?: Logger,
  options?: Partial<BridgeOptions>,
) {
  const file = join(scratchDirectory(), "tokens");
  const write = (text: string) => writeFileSync(file, text);
  write(lines);
  const bridge = await startTestBridge({ mcpTokensFile: file, ...settings }, log, options);
  return {
    ...bridge,
    file,
    write,
    connect: (token: string) => connectClient(bridge.mcpUrl, bearer(token)),
  };
}

export async function connectSessionless(
  { mcpUrl }: TestBridge,
  token: string,
  capabilities: ClientCapabilities = {},
): Promise<ModernClient> {
  const client = new ModernClient(
    { name: "test", version: "0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities },
  );
  client.onerror = () => {};
  onTestFinished(() => client.close());
  await client.connect(
    new ModernTransport(new URL(mcpUrl), { requestInit: { headers: bearer(token) } }),
  );
  return client;
}

export interface Listener {
  tools(): Promise<string[]>;
  resources(): Promise<string[]>;
  read(uri: string): Promise<string>;
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  follow(...uris: string[]): Promise<void>;
  readonly received: readonly string[];
  until(what: string): Promise<void>;
}

class ReceivedNotifications {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();

  readonly note = (what: string) => {
    this.all.push(what);
    for (const look of [...this.#waiting]) look();
  };

  readonly until = (what: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!this.all.includes(what)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
}

const textOf = (result: unknown) =>
  (result as { content: { text?: string }[] }).content[0]?.text ?? "";

export const listeners: Record<string, (bridge: TestBridge, token: string) => Promise<Listener>> = {
  async "a session"({ mcpUrl }, token) {
    const received = new ReceivedNotifications();
    const client = new Client({ name: "test", version: "0" });
    client.onerror = () => {};
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      received.note(params.uri),
    );
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () =>
      received.note("resources"),
    );
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => received.note("tools"));
    onTestFinished(() => client.close());
    let opened = () => {};
    const open = new Promise<void>((resolve) => (opened = resolve));
    const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), {
      requestInit: { headers: bearer(token) },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (init?.method === "GET" && response.ok) opened();
        return response;
      },
    });
    await client.connect(transport);
    await open;
    return {
      ...asking(client),
      async follow(...uris) {
        await client.listTools();
        for (const uri of uris) await client.subscribeResource({ uri });
      },
      received: received.all,
      until: received.until,
    };
  },
  async "no session"(bridge, token) {
    const received = new ReceivedNotifications();
    const client = await connectSessionless(bridge, token);
    client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
      received.note(params.uri),
    );
    client.setNotificationHandler("notifications/resources/list_changed", () =>
      received.note("resources"),
    );
    client.setNotificationHandler("notifications/tools/list_changed", () => received.note("tools"));
    return {
      ...asking(client),
      async follow(...resourceSubscriptions) {
        await client.listen({
          toolsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions,
        });
      },
      received: received.all,
      until: received.until,
    };
  },
};

function asking(client: Pick<Client, "listTools" | "listResources"> | ModernClient) {
  const any = client as Pick<
    ModernClient,
    "listTools" | "listResources" | "readResource" | "callTool"
  >;
  return {
    tools: async () => (await any.listTools()).tools.map(({ name }) => name),
    resources: async () => (await any.listResources()).resources.map(({ uri }) => uri),
    read: async (uri: string) => JSON.stringify((await any.readResource({ uri })).contents),
    call: async (name: string, args: Record<string, unknown> = {}) =>
      textOf(await any.callTool({ name, arguments: args })),
  };
}
