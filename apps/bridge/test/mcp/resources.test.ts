import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

async function listeningClient(url: string) {
  const updated: string[] = [];
  let listChanges = 0;
  let opened!: () => void;
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const client = new Client({ name: "test", version: "0" });
  client.onerror = () => {};
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri);
  });
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    listChanges += 1;
  });
  onTestFinished(() => client.close());
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === "GET" && response.ok) opened();
      return response;
    },
  });
  await client.connect(transport);
  await open;
  return { client, updated, listChanges: () => listChanges };
}

const textOf = async (client: Client, uri: string) => {
  const { contents } = await client.readResource({ uri });
  const [content] = contents;
  expect(content).toMatchObject({ uri, mimeType: "application/json" });
  return JSON.parse(content !== undefined && "text" in content ? content.text : "");
};

const event = (seq: number, ...args: unknown[]) =>
  ({ type: "event", seq, time: 1, name: "redstone", args }) as const;

describe("resources over MCP", () => {
  it("are announced, listed by computer and by template, and read", async () => {
    const bridge = await startTestBridge();
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 12, label: "base" });
    const client = await connectClient(bridge.mcpUrl);
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
      completions: {},
      logging: {},
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "cc://computers",
      "cc://computers/12",
      "cc://computers/12/events",
      "cc://guide",
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "cc://computers/{id}",
      "cc://computers/{id}/events",
      "cc://computers/{id}/screen",
      "cc://computers/{id}/files/{+path}",
      "minecraft://servers/{server}/events",
      "minecraft://servers/{server}/events/{types}",
    ]);
    expect(await textOf(client, "cc://computers")).toMatchObject({
      total: 1,
      computers: [{ uri: "cc://computers/12", label: "base" }],
    });
    expect(await textOf(client, "cc://computers/base")).toMatchObject({
      computerId: 12,
      watches: [],
      eventCursor: 0,
    });
    fake.send(event(0, "left"));
    await expect
      .poll(() => textOf(client, "cc://computers/12/events"))
      .toMatchObject({ events: [{ seq: 0, name: "redstone", args: ["left"] }], cursor: 1 });
  });

  it.each([
    ["cc://computers/99", "Computer 99 is not linked. Linked computers: 12 (Label: null)."],
    ["cc://computers/99/events", "Computer 99 is not linked."],
    ["cc://nothing", "No resource has this address."],
    ["file:///etc/passwd", "No resource has this address."],
  ])("%s is not found, in MCP's own words", async (uri, message) => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 12 });
    const client = await connectClient(bridge.mcpUrl);
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      code: -32002,
      data: { uri },
      message: expect.stringContaining(message),
    });
  });

  it("read the files and the screen of a computer in the game", async () => {
    const bridge = await startTestBridge();
    const world = await startWorld();
    const long = "0123456789".repeat(40_000);
    await linkGameComputer(bridge, world, {
      files: { "/lib/a b.lua": "return 1\n", "/long.txt": long },
    });
    const client = await connectClient(bridge.mcpUrl);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await read("cc://computers/base-turtle/files/lib/a%20b.lua")).toMatchObject({
      mimeType: "text/plain",
      text: "return 1\n",
    });
    expect(await read("cc://computers/12/files/long.txt")).toMatchObject({ text: long });
    const code = 'local f = fs.open("/bytes", "wb") f.write("\\255\\0\\1") f.close()';
    await callTool(client, "exec-lua", { computerId: 12, code });
    expect(await read("cc://computers/12/files/bytes")).toMatchObject({
      mimeType: "application/octet-stream",
      blob: "/wAB",
    });
    await expect(read("cc://computers/12/files/nothing")).rejects.toThrow(/nothing/);
    await callTool(client, "run-program", { computerId: 12, command: "lua" });
    expect(await read("cc://computers/12/screen")).toMatchObject({
      mimeType: "text/plain",
      text: expect.stringContaining("Interactive Lua prompt."),
    });
  });

  it("report a changed file and screen while a client follows them", async () => {
    const bridge = await startTestBridge();
    const world = await startWorld();
    await linkGameComputer(bridge, world, { files: { "/notes.txt": "one" } });
    const { client, updated } = await listeningClient(bridge.mcpUrl);
    const { structuredContent } = await callTool(client, "run-program", {
      computerId: 12,
      command: "lua",
    });
    const [file, screen] = [
      "cc://computers/12/files/notes.txt",
      "cc://computers/12/screen",
    ] as const;
    await client.subscribeResource({ uri: file });
    await client.subscribeResource({ uri: screen });
    const { jobId } = structuredContent as { jobId: string };
    let content = "two";
    await expect
      .poll(
        async () => {
          content += "!";
          await callTool(client, "write-file", { computerId: 12, path: "/notes.txt", content });
          await callTool(client, "send-input", { jobId, steps: [{ text: "x" }] });
          return [...new Set(updated)].sort();
        },
        { timeout: 20_000, interval: 500 },
      )
      .toEqual([file, screen]);
    await client.unsubscribeResource({ uri: file });
    await client.unsubscribeResource({ uri: screen });
  });

  it("are listed in pages that a client follows to the end", async () => {
    const bridge = await startTestBridge();
    for (let id = 0; id < 60; id++) await linkComputer(bridge.linkUrl, { computerId: id });
    const client = await connectClient(bridge.mcpUrl);
    const first = await client.listResources();
    const second = await client.listResources({ cursor: first.nextCursor ?? "" });
    expect([first.resources.length, second.resources.length]).toEqual([100, 22]);
    expect(second.nextCursor).toBeUndefined();
    await expect(client.listResources({ cursor: "x" })).rejects.toMatchObject({ code: -32602 });
  });

  it("notify only subscribers of changes, at most once a second", async () => {
    const bridge = await startTestBridge();
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 12 });
    const subscriber = await listeningClient(bridge.mcpUrl);
    const other = await listeningClient(bridge.mcpUrl);
    const uri = "cc://computers/12/events";
    await subscriber.client.subscribeResource({ uri });
    for (let seq = 0; seq < 100; seq++) fake.send(event(seq));
    await expect.poll(() => subscriber.updated).toEqual([uri, uri]);
    expect(await textOf(subscriber.client, uri)).toMatchObject({ cursor: 100 });
    await subscriber.client.unsubscribeResource({ uri });
    fake.send(event(100));
    await expect.poll(() => textOf(subscriber.client, uri)).toMatchObject({ cursor: 101 });
    expect(subscriber.updated).toHaveLength(2);
    expect(other.updated).toEqual([]);
  });

  it("notify every client that the list changed", async () => {
    const bridge = await startTestBridge();
    const { client, updated, listChanges } = await listeningClient(bridge.mcpUrl);
    await client.subscribeResource({ uri: "cc://computers" });
    const { socket } = await linkComputer(bridge.linkUrl, { computerId: 12 });
    await expect.poll(listChanges).toBe(1);
    expect(updated).toEqual(["cc://computers"]);
    socket.terminate();
    await expect.poll(listChanges).toBe(2);
    expect((await client.listResources()).resources).toHaveLength(2);
  });

  it("cost nothing once a session is over", async () => {
    const bridge = await startTestBridge();
    const before = listeners();
    const client = await connectClient(bridge.mcpUrl);
    expect(listeners()).toBeGreaterThan(before);
    await (client.transport as StreamableHTTPClientTransport).terminateSession();
    expect(listeners()).toBe(before);
    function listeners() {
      return bridge.registry.changes.size;
    }
  });

  it("are bounded for all sessions of a client together", async () => {
    const bridge = await startTestBridge();
    const sessions = [];
    for (let session = 0; session < 5; session++) sessions.push(await connectClient(bridge.mcpUrl));
    const [fifth] = sessions.splice(4);
    const fill = async (client: Client) => {
      for (let id = 0; id < 256; id++) {
        await client.subscribeResource({ uri: `cc://computers/${id}` });
      }
    };
    await Promise.all(sessions.map(fill));
    const more = { uri: "cc://computers/1" };
    await expect(fifth?.subscribeResource(more)).rejects.toThrow(
      texts.atMostResourcesTogetherUnsubscribe,
    );
    await sessions[0]?.unsubscribeResource(more);
    await fifth?.subscribeResource(more);
  });

  it("refuse a subscription to an address of no kind", async () => {
    const bridge = await startTestBridge();
    const client = await connectClient(bridge.mcpUrl);
    const wrong = client.subscribeResource({ uri: "cc://planets" });
    await expect(wrong).rejects.toMatchObject({ code: -32002 });
  });

  it("follow the real program: a watched event in the game becomes an update", async () => {
    const bridge = await startTestBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world);
    const { client, updated } = await listeningClient(bridge.mcpUrl);
    const uri = "cc://computers/base-turtle/events";
    await client.subscribeResource({ uri });
    await callTool(client, "watch-events", { computerId: 12, events: ["redstone"] });
    computer.redstone.setInput("left", 15);
    await world.advance(500);
    await expect.poll(() => updated).toEqual([uri]);
    expect(await textOf(client, uri)).toMatchObject({
      watches: [{ name: "redstone" }],
      events: [{ name: "redstone" }],
    });
  });
});

describe("completion", () => {
  it("suggests ids and labels for addresses and prompts", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 12, label: "base-turtle" });
    await linkComputer(bridge.linkUrl, { computerId: 120, label: "Bakery" });
    const client = await connectClient(bridge.mcpUrl);
    const byUri = async (value: string, uri = "cc://computers/{id}/events") => {
      const ref = { type: "ref/resource", uri } as const;
      return (await client.complete({ ref, argument: { name: "id", value } })).completion;
    };
    expect(await byUri("")).toEqual({
      values: ["12", "120", "base-turtle", "Bakery"],
      total: 4,
      hasMore: false,
    });
    expect((await byUri("12")).values).toEqual(["12", "120"]);
    expect((await byUri("ba")).values).toEqual(["base-turtle", "Bakery"]);
    expect((await byUri("x")).values).toEqual([]);
    expect((await byUri("1", "cc://computers")).values).toEqual([]);
    await expect(byUri("1", "cc://planets/{id}")).rejects.toMatchObject({ code: -32002 });
    const byPrompt = async (name: string, argument: string, value: string) => {
      const ref = { type: "ref/prompt", name } as const;
      return (await client.complete({ ref, argument: { name: argument, value } })).completion
        .values;
    };
    expect(await byPrompt("explore-computer", "computer", "base")).toEqual(["base-turtle"]);
    expect(await byPrompt("debug-program", "program", "st")).toEqual(["startup.lua", "startup/"]);
    expect(await byPrompt("debug-program", "problem", "it")).toEqual([]);
    await expect(byPrompt("dance", "x", "")).rejects.toMatchObject({ code: -32602 });
  });

  it("suggests a hundred at most and reports that there are more", async () => {
    const bridge = await startTestBridge();
    for (let id = 0; id < 101; id++) await linkComputer(bridge.linkUrl, { computerId: id });
    const client = await connectClient(bridge.mcpUrl);
    const ref = { type: "ref/resource", uri: "cc://computers/{id}" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "id", value: "" } });
    expect(completion.values).toHaveLength(100);
    expect(completion).toMatchObject({ total: 101, hasMore: true });
  });
});

describe("prompts over MCP", () => {
  it("are listed with their arguments and turned into text", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 12, label: "base" });
    const client = await connectClient(bridge.mcpUrl);
    const { prompts } = await client.listPrompts();
    expect(
      prompts.map(({ name, arguments: args }) => [name, args?.map((each) => each.name)]),
    ).toEqual([
      ["explore-computer", ["computer"]],
      ["debug-program", ["computer", "program", "problem"]],
      ["write-program", ["computer", "task"]],
    ]);
    const { messages } = await client.getPrompt({
      name: "debug-program",
      arguments: { computer: "base", program: "mine.lua" },
    });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ role: "user" });
    expect(JSON.stringify(messages[0])).toContain("base");
  });

  it("say which argument is missing, and which prompts there are", async () => {
    const bridge = await startTestBridge();
    const client = await connectClient(bridge.mcpUrl);
    await expect(
      client.getPrompt({ name: "debug-program", arguments: { computer: "12" } }),
    ).rejects.toThrow("debug-program needs program: The program's path");
    await expect(client.getPrompt({ name: "dance" })).rejects.toThrow(
      "The prompts are explore-computer, debug-program, write-program.",
    );
  });

  it("name only tools that the owner picked", async () => {
    const bridge = await startTestBridge({ tools: ["core"] });
    const client = await connectClient(bridge.mcpUrl);
    const { messages } = await client.getPrompt({
      name: "debug-program",
      arguments: { computer: "12", program: "x" },
    });
    expect(JSON.stringify(messages)).not.toContain("wait-for-event");
  });
});
