// Tools and events of other mods and plugins on a Minecraft server.
import { encodeRequest } from "@ccbridge/protocol/minecraft";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { scratchFile } from "../helpers/scratch.js";
import type { FakeMod } from "./fake-mod.js";
import { connect, startServerBridge } from "./helpers.js";

const hello = {
  capabilities: { tools: ["get_online_players"], events: ["player_chat", "shop:sold"] },
};

function sendEvent(mod: FakeMod, eventType: string, data: object): void {
  const payload = { eventType, timestamp: Date.now(), data };
  const head = { version: "1.0.0", type: "event", id: `e-${eventType}`, timestamp: 1 };
  mod.send(JSON.stringify({ ...head, source: "minecraft", payload }));
}

async function offer(mod: FakeMod, tools: unknown[], id = "offer"): Promise<void> {
  const request = { command: "offer_tools", args: { tools } };
  mod.send(encodeRequest({ source: "minecraft", id }, request));
  await mod.until(() => mod.answerTo(id) !== undefined);
}

const openShop = {
  name: "open_shop",
  description: "Opens the shop",
  inputSchema: {
    type: "object",
    properties: { door: { type: "string" } },
    required: ["door"],
  },
  readOnly: false,
};
const countShops = { name: "count_shops", inputSchema: { type: "object" }, readOnly: true };

describe("custom events", () => {
  it("are kept and shown, with and without a filter", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link({ hello });
    expect(mod.answerTo("hello")?.outcome).toMatchObject({
      ok: true,
      data: { features: ["tools", "events"] },
    });
    const { call, client } = await connect(bridge);
    const waiting = call("wait-for-server-event", { types: ["shop:sold"], cursor: 0 });
    sendEvent(mod, "player_sneeze", { player: "Steve" });
    sendEvent(mod, "shop:sold", { item: "bread", price: 3 });
    expect((await waiting).text).toMatch(/shop:sold \{"item":"bread","price":3\}/);
    expect((await call("get-server-events")).text).toMatch(
      /player_sneeze \{"player":"Steve"\}\n.*shop:sold/,
    );
    const only = await call("get-server-events", { types: ["shop:sold"] });
    expect(only.text).not.toContain("sneeze");
    const uri = "minecraft://servers/minecraft/events/shop:sold";
    const [content] = (await client.readResource({ uri })).contents;
    expect(JSON.parse((content as { text: string }).text).events).toMatchObject([
      { event: "shop:sold", data: { item: "bread", price: 3 } },
    ]);
  });

  it("that the server does not announce cannot be waited for by name", async () => {
    const bridge = await startServerBridge();
    await bridge.link({ hello });
    const { call } = await connect(bridge);
    const { isError, text } = await call("wait-for-server-event", { types: ["shop:sould"] });
    expect(isError).toBe(true);
    expect(text).toMatch(new RegExp(texts.noEventsShopSouldThere));
  });
});

describe("custom tools", () => {
  it("become tools of MCP, and go with the server", async () => {
    const bridge = await startServerBridge();
    const { client, call } = await connect(bridge);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain("open_shop");
    const changed = vi.fn();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    const mod = await bridge.link({
      hello,
      answer: (_, args) => ({ success: true, data: { result: { opened: args } } }),
    });
    await offer(mod, [openShop, countShops]);
    await vi.waitFor(() => expect(changed).toHaveBeenCalled());
    expect(await names()).toContain("open_shop");
    const { text, isError } = await call("open_shop", { door: "north" });
    expect(isError).toBeUndefined();
    expect(text).toMatch(/^Server minecraft answers open_shop:\n\| \{\n\| {3}"opened"/);
    expect(mod.requests.at(-1)).toEqual({
      name: "call_tool",
      args: { name: "open_shop", arguments: { door: "north" } },
    });
    expect((await call("open_shop", { door: 1 })).isError).toBe(true);
    expect((await call("list-offered-tools")).text).toContain("count_shops");
    mod.drop();
    await vi.waitFor(async () => expect(await names()).not.toContain("open_shop"));
  });

  it("that cannot be read are reported, and do not cost the others", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link({ hello });
    const { call } = await connect(bridge);
    await offer(mod, [{ name: "not a name" }, 7, countShops]);
    const { text } = await call("list-offered-tools");
    expect(text).toMatch(/^1 tool is offered.*count_shops/s);
    expect(text).toContain(texts.notUsableNotAName);
    await offer(mod, "nonsense" as unknown as unknown[], "bad");
    expect(mod.answerTo("bad")?.outcome).toMatchObject({ ok: false, code: "SCHEMA_ERROR" });
  });

  it("are held to the client's rights: reading needs the server's word", async () => {
    const bridge = await startServerBridge({
      mcpTokensFile: scratchFile("look-token name=guest mode=look"),
    });
    const mod = await bridge.link({
      hello,
      answer: () => ({ success: true, data: { result: 3 } }),
    });
    await offer(mod, [openShop, countShops]);
    const { call } = await connect(bridge, "look-token");
    await vi.waitFor(async () => expect((await call("count_shops")).text).toContain("| 3"));
    await expect(call("open_shop", { door: "north" })).rejects.toThrow("There is no tool");
    expect(mod.requests.map(({ args }) => args.name)).toEqual(["count_shops"]);
  });

  it("fail with the server's reason", async () => {
    const bridge = await startServerBridge();
    const error = { code: "SERVER_ERROR", message: "the shop burns" };
    const mod = await bridge.link({ hello, answer: () => ({ success: false, error }) });
    await offer(mod, [countShops]);
    const { call } = await connect(bridge);
    const { text, isError } = await call("count_shops");
    expect(isError).toBe(true);
    expect(text).toMatch(/^SERVER_ERROR on server minecraft: "the shop burns"/);
    expect(text).not.toContain("Correct the call");
  });
});
