import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished } from "vitest";
import { startServerBridge } from "./helpers.js";

const events = (...types: string[]) =>
  ["minecraft://servers/survival/events", types.join(",")].filter((part) => part !== "").join("/");

async function listen(url: string) {
  const notified: string[] = [];
  const waiting = new Set<() => void>();
  const client = new Client({ name: "test", version: "0" });
  client.onerror = () => {};
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    notified.push(params.uri);
    for (const check of [...waiting]) check();
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
  const untilNotified = (uri: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!notified.includes(uri)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { client, notified, untilNotified };
}

it("what one client follows never changes what another receives", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ name: "survival" });
  const [chat, death, all] = await Promise.all([
    listen(bridge.mcpUrl),
    listen(bridge.mcpUrl),
    listen(bridge.mcpUrl),
  ]);
  const last = events("player_quit");
  for (const { client } of [chat, death, all]) await client.subscribeResource({ uri: last });
  await chat.client.subscribeResource({ uri: events("player_chat") });
  await death.client.subscribeResource({ uri: events("player_death", "block_break") });
  await all.client.subscribeResource({ uri: events() });
  mod.event("player_chat", { player: "Steve", message: "hi" });
  await chat.untilNotified(events("player_chat"));
  mod.event("player_death", { player: "Steve", cause: "Steve fell", location: null });
  await death.untilNotified(events("player_death", "block_break"));
  mod.event("player_quit", { player: "Steve", uuid: null });
  await Promise.all([chat, death, all].map(({ untilNotified }) => untilNotified(last)));
  expect(new Set(chat.notified)).toEqual(new Set([events("player_chat"), last]));
  expect(new Set(death.notified)).toEqual(new Set([events("player_death", "block_break"), last]));
  expect(new Set(all.notified)).toEqual(new Set([events(), last]));
});

it("a client that stops following, or leaves, does not affect the others", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ name: "survival" });
  const [first, second, third] = await Promise.all([
    listen(bridge.mcpUrl),
    listen(bridge.mcpUrl),
    listen(bridge.mcpUrl),
  ]);
  const uri = events("player_chat");
  const last = events("player_quit");
  for (const { client } of [first, second, third]) await client.subscribeResource({ uri });
  for (const { client } of [first, second]) await client.subscribeResource({ uri: last });
  await first.client.unsubscribeResource({ uri });
  await third.client.close();
  mod.event("player_chat", { player: "Steve", message: "hi" });
  await second.untilNotified(uri);
  mod.event("player_quit", { player: "Steve", uuid: null });
  await Promise.all([first.untilNotified(last), second.untilNotified(last)]);
  expect(first.notified).toEqual([last]);
});

it("a filter that names no event is refused with the names that there are", async () => {
  const bridge = await startServerBridge();
  await bridge.link({ name: "survival" });
  const { client } = await listen(bridge.mcpUrl);
  await expect(client.readResource({ uri: events("player_sneeze") })).rejects.toThrow(
    /player_join, player_quit, player_chat, player_death, block_break/,
  );
});
