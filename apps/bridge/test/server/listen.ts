import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

interface NotifiedEvent {
  server: string;
  event: string;
  data: unknown;
  seq: number;
  at: number;
}

interface News {
  events: Omit<NotifiedEvent, "at">[];
  cursor: number;
}

export async function listen(url: string) {
  const notified: string[] = [];
  const events: NotifiedEvent[] = [];
  const messages: unknown[] = [];
  const waiting = new Set<() => void>();
  const check = () => {
    for (const look of [...waiting]) look();
  };
  const client = new Client({ name: "test", version: "0" });
  client.onerror = () => {};
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    notified.push(params.uri);
    const at = performance.now();
    const news = params._meta?.["dev.ccbridge/events"] as News | undefined;
    events.push(...(news?.events ?? []).map((event) => ({ ...event, at })));
    check();
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    messages.push(params);
    check();
  });
  onTestFinished(() => client.close());
  let opened!: () => void;
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (init?.method === "GET" && response.ok) opened();
        return response;
      },
    }),
  );
  await open;
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!condition()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const untilNotified = (uri: string) => until(() => notified.includes(uri));
  return { client, notified, events, messages, until, untilNotified };
}

const TICK_MS = 2;

/** Measures how long this process stood still: what the machine took, not the bridge. */
export function stallMeter() {
  let last = performance.now();
  let stalled = 0;
  const look = () => {
    const now = performance.now();
    stalled += Math.max(0, now - last - 2 * TICK_MS);
    last = now;
  };
  const timer = setInterval(look, TICK_MS);
  onTestFinished(() => clearInterval(timer));
  return {
    /** All stalls since the last call, in ms. */
    take() {
      look();
      const taken = stalled;
      stalled = 0;
      return taken;
    },
  };
}
