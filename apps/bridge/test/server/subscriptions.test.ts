import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startServerBridge } from "./helpers.js";
import { listen } from "./listen.js";

const events = (...types: string[]) =>
  ["minecraft://servers/survival/events", types.join(",")].filter((part) => part !== "").join("/");

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

it("notifications carry the events of their filter, each once and in order", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ name: "survival" });
  mod.event("player_chat", { player: "Steve", message: "before" });
  const [all, chat] = await Promise.all([listen(bridge.mcpUrl), listen(bridge.mcpUrl)]);
  await all.client.subscribeResource({ uri: events() });
  await chat.client.subscribeResource({ uri: events("player_chat") });
  const count = 300;
  for (let n = 0; n < count; n++) {
    mod.event("player_chat", { player: "Steve", message: `line ${n}` });
    mod.event("player_join", { player: `Guest${n}`, uuid: null });
  }
  await all.until(() => all.events.length >= 2 * count);
  await chat.until(() => chat.events.length >= count);
  const lines = Array.from({ length: count }, (_, n) => ({
    player: "Steve",
    message: `line ${n}`,
  }));
  expect(chat.events.map(({ data }) => data)).toEqual(lines);
  expect(all.events.map(({ seq }) => seq)).toEqual(all.events.map((_, n) => n + 1));
  // Announced together, not one by one.
  expect(all.notified.length).toBeLessThan(count);
});

it("an event that is too long for a notification is announced without its data", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ name: "survival" });
  const all = await listen(bridge.mcpUrl);
  await all.client.subscribeResource({ uri: events() });
  mod.event("shop:sold" as "player_chat", { text: "x".repeat(40_000) } as never);
  mod.event("shop:sold" as "player_chat", { price: 3 } as never);
  await all.until(() => all.events.length === 2);
  expect(all.events).toMatchObject([{ data: null, isTooLong: true }, { data: { price: 3 } }]);
});

it("clients hear that a server leaves and comes back, unless they want less", async () => {
  const bridge = await startServerBridge();
  const first = await bridge.link({ name: "survival" });
  const [hears, quiet] = await Promise.all([listen(bridge.mcpUrl), listen(bridge.mcpUrl)]);
  await quiet.client.setLoggingLevel("error");
  first.hangUp();
  await hears.until(() => hears.messages.length === 1);
  await bridge.link({ name: "survival" });
  await hears.until(() => hears.messages.length === 2);
  await bridge.link({ name: "creative" });
  expect(hears.messages).toEqual([
    {
      level: "warning",
      logger: "ccbridge",
      data: texts.serverSurvivalLeftCallsFor,
    },
    { level: "notice", logger: "ccbridge", data: "Server survival is back." },
  ]);
  await quiet.client.ping();
  expect(quiet.messages).toEqual([]);
});
